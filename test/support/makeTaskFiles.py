"""Writes test/data/tasks: small task files of our own in the layouts that AFM released.

aime24.parquet, math500.parquet   AFM/data/code_agent/code_math_benchmarks: one user message whose question follows
                                  "Task:", gold answer as LaTeX in reward_model.ground_truth
livecodebench_v4.parquet          the same folder: tests as JSON text in reward_model.ground_truth, of programs that
                                  read stdin and of methods of a class, with starter code
nq.jsonl                          AFM/data/mhqa_agent/test_benchmarks: question, list of answers, data_source

They have the released files' columns, types, nullability, snappy compression, dictionary pages and pandas metadata
(pyarrow 20.0.0, pandas 2.2.3: `pip install pyarrow==20.0.0 pandas==2.2.3`). Questions and answers are ours.
"""
import json
from pathlib import Path

import pandas

FOLDER = Path(__file__).parent.parent / "data" / "tasks"
MATH_RULES = """Solve the given task step by step. \nYou must use the functions 'think', 'plan', 'code' and 'answer'.
1. 'plan':
  - Format:
    <plan>
    [high-level steps]
    </plan>
3. Special tokens such as <plan> and <answer> must not appear in free text."""
CODE_RULES = """Write a complete python program for the task, with 'think', 'plan', 'code' and 'answer'.
2. 'plan':
  - Format:
    <plan>
    [high-level steps]
    </plan>"""
ANSWER_FORMAT = """Answer format: The answer should be a complete python code snippet with necessary imports. \
Answer should begin with '```py\n' and end with '```\n'. For instance:\n```py\nimport math\n```\n"""


def row(source, prompt, ability, gold, extra):
    return {
        "data_source": source,
        "prompt": [{"content": prompt, "role": "user"}],
        "ability": ability,
        "reward_model": {"ground_truth": gold, "style": "rule"},
        "extra_info": {
            **extra,
            "need_tools_kwargs": True,
            "tools_kwargs": {"code": {"TODO": "create_kwargs"}},
        },
    }


def write_math(name, source, tasks):
    rows = [
        row(source, f"{MATH_RULES}\n\nTask:\n{question}", "fact-reasoning", gold, {"index": str(at), "split": "train"})
        for at, (question, gold) in enumerate(tasks)
    ]
    pandas.DataFrame(rows).to_parquet(FOLDER / name, index=False)


AIME = [
    ("A ferry crosses a lake of $12$ kilometers in $3t$ minutes with the wind and in $5t$ minutes against it. Find the "
     "number of seconds that a raft needs for the same way.", "540"),
    ("Let $PQRS$ be a rhombus whose diagonals are $16$ and $30$. The radius of its inscribed circle is $\\frac{m}{n}$, "
     "where $m$ and $n$ are relatively prime. Find $m + n$.", "137"),
    ("Seven lanterns hang in a row, each red or blue, and no three neighbours share a colour. How many such rows "
     "exist?", "042"),
    ("There is a collection of tokens numbered $1$ to $40$ such that: \n\nno two chosen tokens differ by a square\n"
     "every chosen token is odd\n\nFind the largest sum of three chosen tokens.", "111"),
    ("The polynomial $x^3 - 7x + k$ has a double root that is an integer. Find the sum of all possible values of "
     "$k^2$.", "0"),
    ("Mila tosses a fair coin until heads has come twice as often as tails or eight tosses are done. The expected "
     "number of tosses is $\\tfrac{p}{q}$ in lowest terms; find the last three digits of $p$.", "999"),
]

# One gold answer of each form that MATH-500 has, and one question each.
MATH = [
    ("Convert the point $(0,5)$ from rectangular to polar coordinates, with an angle below $2\\pi$.",
     "\\left( 5, \\frac{\\pi}{2} \\right)"),
    ("Write the double series $\\sum_j \\sum_k (j+k)^{-4}$ by the constants $u$ and $v$ named above.", "u - v"),
    ("Of which fraction of its height does a cone keep half of its volume, rounded down to a ratio?", "\\frac{14}{3}"),
    ("Evaluate the function $g(x) = 3x^2 - 18x$ at the place where its graph turns.", "-27"),
    ("How many positive divisors does the product of the first two even square numbers above ten have?", "9"),
    ("Which swimmer of the chart swam fastest on average over the whole of her way?", "\\text{Evelyn}"),
    ("The perimeter of a regular hexagon is known, find that of the trapezoid inside it, in inches.",
     "42"),
    ("Name the kind of solid whose equation in cylindrical coordinates is $r = z$.", "\\text{cone}"),
    ("Two lines meet in a plane; give the angle between them in degrees.", "28"),
    ("An octagon's obtuse corner is measured with a protractor by an apprentice; how large is it?", "135^\\circ"),
    ("Simplify the surd that remains when $\\sqrt{50}$ loses two thirds of its square factor.", "2\\sqrt{5}"),
    ("Solve for every real $x$ that makes the rational function below at most zero.", "(-\\infty, 1] \\cup (3, 7)"),
    ("For which $k$ has the quadratic with coefficients one, six and $k$ no real root at all?", "(9,\\infty)"),
    ("Find all integers that satisfy both congruences listed in the margin of the exercise book.", "[-2,7]"),
    ("Compute the complex square that de Moivre's formula gives for a sixth of a turn.", "6 - 5i"),
    ("Expand the square of the binomial $x$ plus seven and subtract what the table says.", "x^2 + 7x + 10"),
    ("Give the inverse of the linear function whose slope is negative and whose intercept is five.", "5 - x"),
    ("A merchant folds a map nine times; express the last layer's number in base six.", "4210_{6}"),
    ("Convert decimal two hundred and twelve to the base of a hand's fingers.", "1322_5"),
    ("Find the matrix of the reflection across the line through the origin and $(1,3)$.",
     "\\begin{pmatrix} -4/5 & 3/5 \\\\ 3/5 & 4/5 \\end{pmatrix}"),
    ("Project the vector of the wind onto the direction of the runway.",
     "\\begin{pmatrix} 2 \\\\ -1 \\\\ 7 \\end{pmatrix}"),
    ("A notebook and four pencils cost this much at the fair.", "\\$18.90"),
    ("How long is the shadow of the mast at noon, in metres?", "5.4\\text{ m}"),
    ("The smallest root of the quartic lies below zero; give it in closed form.", "\\frac{3 - \\sqrt{13}}{2}"),
    ("List all values that the parameter may take, in any order.", "1,-2"),
    ("The ordered triple that solves the system of three planes is wanted.", "(6,31,-1)"),
    ("Which triangle of the figure is the odd one: enter its letter.", "\\text{(E)}"),
    ("On which day of the week does the thousandth morning after a Tuesday fall?", "\\text{Sunday}"),
    ("Factor the difference of fourth powers fully over the integers.", "(x - 2)(x + 2)(x^2 + 4)"),
    ("Find the equation of the ellipse in standard form, with equality.", "\\frac{x^2}{9} + \\frac{y^2}{25} = 1"),
    ("The $y$ of the tangent line is to be given by $x$.", "y = 2x + 3"),
    ("How many seats has the hall, thousands apart?", "11,\\! 111,\\! 111,\\! 100"),
    ("Express the cube root of a power of two in simplest radical form.", "\\sqrt[3]{25}"),
    ("A mixed number of loaves remains after the feast.", "3\\frac{1}{2}"),
    ("Compute the cotangent of an eighth of a turn, less a root.", "\\sqrt{3} - 2"),
    ("State the sine of five thirds of $\\pi$.", "-\\frac{\\sqrt{3}}{2}"),
    ("Which set of numbers stays closed under the operation of the puzzle?", "\\{1\\pm\\sqrt{5},-2\\}"),
    ("Which permutation count does the binomial coefficient of ten over three give?", "\\binom{10}{3}"),
    ("Give the exponential that grows like the colony of the third dish.", "2^{x+1}"),
    ("Logarithms of both sides are taken: what is left on the right?", "\\ln 3 + 2"),
    ("At which angle, in radians, do the clock's hands stand at ten?", "\\frac{\\pi}{3}"),
    ("Is the sequence even, odd or neither? Answer by one word.", "\\text{even}"),
]

NQ = [
    ("who laid the foundation stone of the harbour chapel at Vinterby", ["Ann Lee", "A. Lee"]),
    ("when was the second tramway of Morvale opened to passengers", ["May 18, 1918"]),
    ("which signal mode do the coast stations of the north use", ["Olivia", "MFSK"]),
    ("how many bells hang in the tower of the old customs house", ["7", "seven"]),
    ("what does the abbreviation on the keel of a Kestrel dinghy stand for", ["harbour pilot or harbour police"]),
    ("who wrote the lyrics of the ballad about the drowned bridge", ["Eline Rosenvinge"]),
    ("where does the river that drives the paper mill of Osby rise", ["Mount Aske", "the slopes of Mount Aske"]),
    ("who plays the lighthouse keeper in the film of the seventh winter",
     ["Ida Voss", "Jon Voss", "Mads Lund", "Per Lund", "Ane Holm", "Bo Holm", "Kaj Dahl", "Lis Dahl", "Ole Berg",
      "Pia Berg", "Rolf Krog", "Siv Krog", "Tor Hald", "Una Hald", "Vera Moe", "Yrsa Moe"]),
    ("what percentage of the island was forest at the census of 1901", ["42.5%", "42.5 percent"]),
    ("when does the ferry company stop sailing for the winter", ["in the third week of October 2011"]),
    ("what is the population of the smallest parish in the archipelago", ["1,204"]),
    ("who won the regatta in the year that the pier burnt", ["the Osby Rowing Club"]),
    ("how far is it from the fort to the northern cape in miles", ["12.5 miles", "20 km"]),
    ("what was the first name of the engineer who raised the weir", ["José"]),
    ("which play was performed when the theatre got electric light", ["\"The Glass Ferry\"", "The Glass Ferry"]),
    ("how tall is the granite column on the market square of Hollin", ["18 m"]),
    ("what year did the observatory lose its copper dome", ["1,874", "1874"]),
    ("which goddess is carved above the door of the granary", ["Ceres"]),
    ("how much did the first telegram to the mainland cost", ["$2.50"]),
    ("who is buried beside the two poets in the churchyard of Fell", ["Nobody knows", "an unknown sailor"]),
]

STDIN_TAIL = (
    "In you final answer code nippet, read the inputs from stdin to solve the problem and write the answer to stdout "
    "(do not directly test on the example inputs). Ensure that when the python program runs, it reads the inputs, runs "
    "the algorithm and writes output to STDOUT.\n"
)

# name, title, what is asked, (stdin, expected output) pairs
STDIN = [
    ("own101_a", "Lantern Pairs",
     "N lanterns stand in a row, and the i-th shines A_i metres far. Print how many neighbouring pairs shine equally far.",
     [("5\n1 1 2 2 2\n", "3\n"), ("3\n1 2 3\n", "0\n"), ("2\n9 9\n", "1\n")]),
    ("own101_b", "Ferry Queue",
     "A ferry carries W tons. Cars of the given weights board in order until the next one does not fit. Print how many "
     "cars board, and their weight in tons.",
     [("10 4\n4 3 3 1\n", "3 10\n"), ("5 2\n6 1\n", "0 0\n")]),
    ("own101_f", "Tidal Table",
     "Each of the N lines of a tidal table has an hour and a height. Print the hour of the highest tide; of equal tides "
     "the earliest.",
     [("3\n4 12\n10 30\n16 30\n", "10\n"), ("1\n0 -5\n", "0\n")]),
]

# number, method, title, starter's parameters, what is asked, call, expected value
FUNCTIONAL = [
    ("9001", "countWindows", "count-quiet-windows", "heights: List[int], k: int", "int",
     "Given the heights of waves and an integer k, return how many windows of k neighbouring waves never rise.",
     "[5, 4, 4, 6, 2, 1], 3", "2"),
    ("9002", "longestEcho", "longest-echo", "call: str", "str",
     "Return the longest prefix of the call which is also its suffix and is shorter than the call.",
     "'tralatral'", "'tral'"),
    ("9003", "mergeTolls", "merge-tolls", "tolls: List[List[int]]", "List[List[int]]",
     "Each toll is a pair of a gate and a fee. Return a pair for each gate, with the sum of its fees, by gate.",
     "[[2, 5], [1, 3], [2, 4]]", "[[1, 3], [2, 9]]"),
]


def code_row(prompt, gold, index, extra):
    return row(
        "skywork_livecodebench_v4",
        f"{CODE_RULES}\n\nTask: {prompt}\n{ANSWER_FORMAT}",
        "coding",
        json.dumps({**gold, "question_id": index}),
        {"contest_date": "2024-08-10T00:00:00", "index": index, "reference": "", "split": "test", **extra},
    )


def code_rows():
    for index, title, asked, tests in STDIN:
        samples = "".join(f"\nSample Input {n}\n\n{given}\nSample Output {n}\n\n{expected}" for n, (given, expected) in
                          enumerate(tests, 1))
        gold = {"stdin": [given for given, _ in tests], "expected_output": [expected for _, expected in tests]}
        yield code_row(f"{asked}\n{samples}{STDIN_TAIL}", gold, index, {
            "contest_id": index.split("_")[0], "difficulty": "hard" if index.endswith("f") else "easy", "metadata": "{}",
            "platform": "atcoder", "question_title": title, "starter_code": "",
        })
    for index, method, title, parameters, returned, asked, call, expected in FUNCTIONAL:
        starter = f"class Solution:\n    def {method}(self, {parameters}) -> {returned}:\n        "
        check = (f"\nresult = Solution().{method}({call})\nassert result == {expected}, "
                 f'f"Expected {expected}, but got {{repr(result)}}"\n')
        yield code_row(
            f"{asked}\n \nConstraints:\n\n1 <= length <= 50\nYou will use the following starter code to write the "
            f"solution to the problem.\n```py\n{starter}\n```\n",
            {"functional": check}, index, {
                "contest_id": "weekly-contest-9", "difficulty": "medium", "metadata": json.dumps({"func_name": method}),
                "platform": "leetcode", "question_title": title, "starter_code": starter,
            })


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_math("aime24.parquet", "aime24", AIME)
    write_math("math500.parquet", "MATH500", MATH)
    pandas.DataFrame(list(code_rows())).to_parquet(FOLDER / "livecodebench_v4.parquet", index=False)
    lines = (json.dumps({"question": q, "answer": a, "data_source": "nq"}, ensure_ascii=False) for q, a in NQ)
    (FOLDER / "nq.jsonl").write_text("\n".join(lines) + "\n", encoding="utf8")
