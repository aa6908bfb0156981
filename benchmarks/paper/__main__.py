"""The paper's tables and figures beside its own numbers, and the tables of docs/paper.md.

Without WHAT: all. Runs that are stored are not computed again.
"""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "table2": ("summary:table2", "Table 2: affine maps"),
    "table3": ("summary:table3", "Table 3: waves and affine maps"),
    "table4": ("summary:table4", "Table 4: symbols, few samples"),
    "table5": ("summary:table5", "Table 5: Chinese characters"),
    "table6": ("summary:table6", "Table 6: digits (needs MNIST)"),
    "fig2": ("figures:fig2", "Figure 2: features under affine maps"),
    "fig3": ("figures:fig3", "Figure 3: optimal transport to the template (needs POT)"),
    "fig4": ("figures:fig4", "Figure 4: features under waves and affine maps"),
    "fig5": ("figures:fig5", "Figure 5: the scale of salt"),
    "fig6": ("figures:fig6", "Figure 6: features under affine maps and salt"),
    "fig7": ("figures:fig7", "Figure 7: accuracy under salt"),
    "fig8": ("figures:fig8", "Figure 8: accuracy under waves and salt"),
    "confusion": ("figures:confusion", "Figures 9 and 12: confusions of Tables 4 and 6"),
    "tables": ("tables:run", "tables and picture of docs/paper.md, from what is stored"),
}

if __name__ == "__main__":
    sys.exit(run_room("paper", __doc__, EXPERIMENTS))
