"""Look up known vulnerabilities of the packages in a directory: python .ci/audit.py SITE_PACKAGES

Needs pip-audit and a database of vulnerabilities. Where none can be reached, it says that
nothing was looked up, and does not fail: that is not the change's fault.
"""

import json
import subprocess
import sys

command = [sys.executable, "-m", "pip_audit", "--path", sys.argv[1], "--format", "json"]
run = subprocess.run([*command, "--progress-spinner", "off"], capture_output=True, text=True)
if not run.stdout.startswith("{"):
    reason = (run.stderr.strip().splitlines() or ["no answer"])[-1]
    print(f"SKIPPED audit of dependencies: {reason}")
    sys.exit()
packages = json.loads(run.stdout)["dependencies"]
known = [package for package in packages if "vulns" in package]
unknown = [package for package in packages if "vulns" not in package]
found = [f"{p['name']} {p['version']}: {v['id']}" for p in known for v in p["vulns"]]
print(f"Looked up {len(known)} of {len(packages)} packages: {len(found)} known vulnerabilities.")
if unknown:
    print(f"SKIPPED audit of {len(unknown)} packages: {unknown[0]['skip_reason']}, ...")
sys.exit("\n".join(found) if found else 0)
