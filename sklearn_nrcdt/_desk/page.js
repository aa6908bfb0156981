"use strict";
// The page holds no truth of its own: it shows the state of the desk and sends what the user does.
const POLL = 500;  // milliseconds
const TONES = {clear: "good", likely: "good", doubtful: "warn", unknown: "bad", "not found": "bad"};
const $ = (id) => document.getElementById(id);
const UNUSABLE = "cannot be used";
let state = {pictures: [], revision: -1, marks: {}}, selected = Number(sessionStorage.getItem("selected")), position = 0;
const looking = new Map();  // picture -> name of the drawing that is looked at
const typed = new Map();  // picture -> its note and whether that was sent, until the desk has kept it

// --- talking to the desk ------------------------------------------------------------------------
async function call(path, options) {
  let answer;
  try { answer = await fetch(path, options); } catch { throw new Error("The desk is closed: this was not kept."); }
  if (answer.status === 204) return null;
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.problem);
  return data;
}
const queue = [];
// One after the other, as the user did them: an undo must not overtake what it takes back.
function send(path, data) {
  return new Promise((done, fail) => {
    queue.push(() => call(path, {method: "POST", body: JSON.stringify(data), keepalive: true}).then(done, fail));
    if (queue.length === 1) sendQueue();
  });
}
async function sendQueue() { for (; queue.length; queue.shift()) await queue[0](); }
async function act(work) {
  $("problem").textContent = "";
  try { await work(); await refresh(); } catch (error) { $("problem").textContent = error.message; }
}
async function refresh() {
  const fresh = await call(`state?since=${state.revision}`);
  if (!fresh || fresh.revision < state.revision) return;  // another answer has overtaken this one
  const first = state.revision < 0;
  state = fresh;
  render();
  if (first) showSelected();
}
async function poll() {
  try {
    await refresh();
    document.body.classList.remove("lost");
  } catch {
    document.body.classList.add("lost");
    $("status").textContent = "The desk is closed. Start it with the same command as before, and use the page that opens then.";
  }
  setTimeout(poll, POLL);
}
async function upload(files) {
  const kind = $("kind").value, problems = [];
  for (const [k, file] of files.entries()) {
    $("status").textContent = `Sending ${k + 1} of ${files.length} pictures`;
    try {
      await call(`pictures?kind=${kind}`, {method: "POST", headers: {"X-Name": encodeURIComponent(file.name)}, body: file});
    } catch (error) { problems.push(`${file.name}: ${error.message}`); }
  }
  await act(() => {});
  if (problems.length) $("problem").textContent = problems.slice(0, 3).join(" ") + (problems.length > 3 ? ` And ${problems.length - 3} more.` : "");
}
// Files of a dropped folder, however deep; a file itself.
async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((done, fail) => entry.file(done, fail))];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    for (const each of some) if (!each.name.startsWith(".")) found.push(...await filesOf(each));
  }
}

// --- what is seen -------------------------------------------------------------------------------
function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}
function shown() {
  const mark = $("by-mark").value, decision = $("by-decision").value;
  return state.pictures.filter((p) => (!mark || words(p) === mark) && (decision === "all" || p.decision === decision));
}
const current = () => state.pictures.find((p) => p.id === selected);
const candidates = (picture) => picture.answer.candidates ?? [];
function place(picture) {
  const wanted = looking.get(picture.id) ?? picture.drawing;
  return Math.max(0, candidates(picture).findIndex((c) => c.name === wanted));
}
// The name that was given to a drawing: its file is in a folder and has escapes for some characters.
const plain = (file) => file.startsWith("added/") ? decodeURIComponent(file.slice(6, -4)) : file;
const words = (p) => p.answer.mark ?? (p.decision || (p.answer.problem ? UNUSABLE : "waiting"));
function setSource(image, source) { if (image.getAttribute("src") !== source) image.src = source; }
function putFrame(node, [left, top, right, bottom]) {
  Object.assign(node.style, {left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * (right - left)}%`, height: `${100 * (bottom - top)}%`});
}

function render() {
  document.title = `Desk: ${state.name}`;
  $("catalogue").textContent = `${state.name}: ${state.n_drawings} drawing${state.n_drawings === 1 ? "" : "s"}`;
  $("undo").disabled = !state.undo;
  $("undo").title = state.undo ? `Undo: ${state.undo}` : "";
  $("status").textContent = state.busy;
  const marks = [...new Set(Object.values(state.marks).flatMap(Object.keys)), UNUSABLE];
  if ($("by-mark").options.length !== marks.length + 1) {
    $("by-mark").replaceChildren(new Option("all", ""), ...marks.map((mark) => new Option(mark)));
    recall("by-mark");
  }
  const list = shown(), n = state.pictures.length;
  // What takes the place of a picture that has gone is looked at next.
  if (!list.some((p) => p.id === selected)) selected = list[Math.min(position, list.length - 1)]?.id ?? null;
  position = Math.max(0, list.findIndex((p) => p.id === selected));
  sessionStorage.setItem("selected", selected);
  $("counts").textContent = n ? `${list.length} of ${n} shown, ${state.pictures.filter((p) => p.decision).length} decided.` : "";
  $("empty").hidden = n > 0;
  $("hint").textContent = state.n_drawings ? "" : "The catalogue is empty: begin with “Add to the catalogue” and its drawings.";
  renderList(list);
  renderDetail();
}
const items = new Map();  // picture -> its node in the list and what that shows
function decided(picture) {
  const {label} = candidates(picture).find((c) => c.name === picture.drawing) ?? {label: plain(picture.drawing)};
  return {accepted: `✓ ${label}`, rejected: "✕ rejected", "new reference": `+ ${label}`}[picture.decision];
}
function item(picture) {
  const guess = TONES[picture.answer.mark] === "bad" ? "" : picture.answer.label ?? "", verdict = decided(picture) ?? guess;
  const texts = [picture.name, words(picture), verdict], key = texts.join("\n"), old = items.get(picture.id);
  if (old?.key === key) return old.node;
  const lines = texts.map((text) => make("span", {}, text));
  lines[1].className = TONES[picture.answer.mark] ?? "soft";
  const image = make("img", {src: `small/${picture.id}/0`, alt: "", loading: "lazy"});
  const button = make("button", {title: picture.name, onclick: () => select(picture.id)}, image, make("span", {}, ...lines));
  const node = make("li", {}, button);
  items.set(picture.id, {key, node});
  return node;
}
function renderList(list) {
  const nodes = list.map(item), scroll = $("list").scrollTop, focused = $("list").contains(document.activeElement);
  if (nodes.length !== $("list").children.length || nodes.some((node, k) => node !== $("list").children[k])) {
    $("list").replaceChildren(...nodes);
    $("list").scrollTop = scroll;
  }
  $("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = items.get(selected)?.node.firstChild;
  button?.setAttribute("aria-current", "true");
  if (focused) button?.focus();
}
function renderDetail() {
  const picture = current();
  $("detail").hidden = !picture;
  if (!picture) return;
  const at = place(picture), best = candidates(picture)[at];
  $("name").textContent = picture.name;
  $("mark").textContent = words(picture);
  $("mark").className = TONES[picture.answer.mark] ?? "soft";
  $("meaning").textContent = (!picture.decision && picture.answer.problem) || state.marks[picture.kind]?.[picture.answer.mark] || "";
  $("asked").textContent = picture.kind === "search" && picture.answer.mark && !picture.decision ? state.search : "";
  $("decided").textContent = picture.decision ? `Decided: ${decided(picture)}` : "";
  setSource($("picture"), `large/${picture.id}/0`);
  $("frame").hidden = $("overlay").hidden = !best?.box;
  $("pose").textContent = best?.pose ?? "";
  $("strokes").hidden = !$("show-strokes").checked;
  const source = (what, k) => `${what}/${picture.id}/${k}?${picture.version}`;
  if (best?.box) {
    putFrame($("frame"), best.box);
    setSource($("part"), source("detail", at));
    setSource($("strokes"), source("strokes", at));
  }
  $("chosen").hidden = !best;
  if (best) {
    setSource($("drawing"), source("drawing", at));
    $("drawing-name").textContent = plain(best.name);
  }
  const [score, digits] = state.scores[picture.kind] ?? [];
  $("candidates").replaceChildren(...candidates(picture).map((each, k) => {
    const image = make("span", {className: "drawing"}, make("img", {src: source("drawing", k), alt: ""}));
    const button = make("button", {title: plain(each.name), onclick: () => look(k)}, image,
      make("span", {}, `${k + 1}. ${each.label}`), make("span", {className: "soft"}, `${score} ${each.score.toFixed(digits)}`));
    button.setAttribute("aria-pressed", k === at);
    return make("li", {}, button);
  }));
  $("accept").disabled = $("reject").disabled = !best;
  $("accept").textContent = $("accept").title = best ? `Accept ${best.label}` : "Accept";
  $("accept").classList.toggle("on", picture.decision === "accepted" && picture.drawing === best?.name);
  $("reject").classList.toggle("on", picture.decision === "rejected");
  $("forget").disabled = Boolean(picture.decision);
  if (document.activeElement !== $("note") || $("note").dataset.picture !== String(picture.id)) {
    $("note").value = typed.get(picture.id)?.note ?? picture.note;
    $("note").dataset.picture = picture.id;
  }
}

// --- what the user does -------------------------------------------------------------------------
function select(id) {
  keepNote();
  selected = id;
  render();
  showSelected();
}
function showSelected() {
  $("list").querySelector("[aria-current=true]")?.scrollIntoView({block: "nearest", inline: "nearest"});
}
function step(by) {
  const list = shown(), next = list[list.findIndex((p) => p.id === selected) + by];
  if (next) select(next.id);
}
function look(k) {
  const picture = current(), wanted = picture && candidates(picture)[k];
  if (wanted) { looking.set(picture.id, wanted.name); renderDetail(); }
}
function decide(decision) {
  const picture = current(), best = picture && candidates(picture)[place(picture)];
  if (!best) return;
  keepNote();
  sendAndGoOn("decide", {picture: picture.id, decision, drawing: best.name});
}
function sendAndGoOn(path, data) {
  const list = shown(), next = list[list.findIndex((p) => p.id === data.picture) + 1];
  if (next) selected = next.id;  // at once: the next key is about the next picture
  act(async () => {
    try { await send(path, data); } catch (error) { selected = data.picture; render(); throw error; }
  }).then(showSelected);
  render();
}
function keepNote() {
  const picture = Number($("note").dataset.picture), latest = typed.get(picture);
  if (!latest || latest.sent) return;
  latest.sent = true;
  act(async () => {
    try { await send("note", {picture, note: latest.note}); } catch (error) { latest.sent = false; throw error; }
    if (typed.get(picture) === latest) typed.delete(picture);
  });
}
const inputs = [...$("crop").querySelectorAll("input[type=number]")];
const edges = () => inputs.map((input) => Number(input.value) / 100);
function setEdges(values) {
  inputs.forEach((input, k) => { input.value = Math.round(1000 * values[k]) / 10; });
  putFrame($("box"), values);
}
function crop() {
  const picture = current();
  if (!picture) return;
  $("crop-picture").src = `large/${picture.id}/0`;
  const found = TONES[picture.answer.mark] !== "bad" && candidates(picture)[place(picture)]?.box;
  setEdges(found || [0, 0, 1, 1]);
  $("crop-hint").hidden = picture.kind !== "search";
  $("reference-name").value = picture.name.replace(/\.[^.]*$/, "").slice(0, $("reference-name").maxLength);
  $("crop").returnValue = "";
  $("crop").showModal();
}
function drag(event) {
  const area = $("crop-picture").getBoundingClientRect();
  const at = (e) => [(e.clientX - area.left) / area.width, (e.clientY - area.top) / area.height].map((v) => Math.min(1, Math.max(0, v)));
  const [x, y] = at(event);
  const move = (e) => { const [u, v] = at(e); setEdges([Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)]); };
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), {once: true});
  event.preventDefault();
}

// --- listeners ----------------------------------------------------------------------------------
const KEYS = {
  ArrowDown: () => step(1), ArrowUp: () => step(-1), a: () => decide("accepted"), r: () => decide("rejected"),
  n: () => $("note").focus(), c: crop, u: () => $("undo").click(), o: () => $("files").click(),
  s: () => $("show-strokes").click(), Delete: () => $("forget").click(), "?": () => $("help").showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input[type=text], select")) {
    if (event.key === "Enter" || event.key === "Escape") event.target.blur();
    // Letters and numbers decide, and do not choose from a list.
    if (!event.target.matches("select") || event.key.length > 1) return;
  }
  const action = KEYS[event.key] ?? (/^[1-9]$/.test(event.key) ? () => look(event.key - 1) : null);
  if (action) { action(); event.preventDefault(); }
});
const on = (id, kind, action) => $(id).addEventListener(kind, action);
on("choose", "click", () => $("files").click());
on("files", "change", () => { upload([...$("files").files]); $("files").value = ""; });
function recall(id) { $(id).value = sessionStorage.getItem(id) ?? $(id).value; }
let byMouse = false;
addEventListener("pointerdown", () => { byMouse = true; }, true);
addEventListener("keydown", () => { byMouse = false; }, true);
for (const id of ["kind", "by-mark", "by-decision"])
  on(id, "change", () => {
    sessionStorage.setItem(id, $(id).value);
    if (byMouse) $(id).blur();  // the arrow keys go to the pictures again
    render();
  });
recall("kind");
recall("by-decision");
on("accept", "click", () => decide("accepted"));
on("reject", "click", () => decide("rejected"));
on("reference", "click", crop);
on("forget", "click", () => sendAndGoOn("forget", {picture: selected}));
on("undo", "click", () => act(() => send("undo", {})));
on("note", "input", () => typed.set(Number($("note").dataset.picture), {note: $("note").value, sent: false}));
on("note", "change", keepNote);
addEventListener("pagehide", () => { keepNote(); queue.splice(1).forEach((each) => each()); });
on("show-strokes", "change", renderDetail);
on("help-button", "click", () => $("help").showModal());
on("area", "pointerdown", drag);
inputs.forEach((input) => input.addEventListener("input", () => putFrame($("box"), edges())));
on("cancel", "click", () => $("crop").close());
on("crop", "close", () => {
  if ($("crop").returnValue === "add") act(() => send("reference", {picture: selected, box: edges(), name: $("reference-name").value}));
});
on("export", "click", (event) => { if (event.target.matches("a")) $("export").open = false; });
addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").textContent = $("kind").selectedOptions[0].text;
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").hidden = true; });
addEventListener("drop", async (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()), files = [...event.dataTransfer.files];
  upload(entries.every(Boolean) && entries.length ? (await Promise.all(entries.map(filesOf))).flat() : files);
});
poll();
