/** A program that an agent tries, with the thinking around it. */
export interface Trial {
  readonly think: string;
  readonly code: string;
  readonly stdin?: string;
  /** Values to take from what the program prints, by name. */
  readonly extract?: Readonly<Record<string, string>>;
  readonly reflection: string;
}

/** A problem solved with programs. `{{name}}` stands for a value that a program printed. */
export interface Problem {
  readonly question: string;
  readonly plan: string;
  /** The first one already yields the answer; the others check it. */
  readonly trials: readonly [Trial, Trial, ...Trial[]];
  /** The thinking before the answer. */
  readonly conclusion: string;
}

/** A problem of mathematics. The solution's answer is the value `answer` of its first program. */
export interface MathProblem extends Problem {
  /** The gold answer. */
  readonly answer: string;
}

/** A programming task. */
export interface CodeProblem extends Problem {
  /** Pairs of input and expected output, or Python statements that call the solution. */
  readonly tests:
    | { readonly stdin: readonly string[]; readonly expected_output: readonly string[] }
    | { readonly functional: string };
  /** The finished program. */
  readonly solution: string;
}

/** Takes what stands after a label on a line of its own. */
export function labelled(label: string): string {
  return `^${label}: (.+)$`;
}

/** A program without the line feeds and the margin that its place in a source file gives it. */
export function program(text: TemplateStringsArray): string {
  const lines = text.raw[0]!.replace(/^\n|\n\s*$/g, '').split('\n');
  const margin = Math.min(...lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)![0].length));
  return lines.map((line) => line.slice(margin)).join('\n');
}

/** Programs one after the other, as one. */
export function joined(...programs: readonly string[]): string {
  return programs.join('\n\n');
}
