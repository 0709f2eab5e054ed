import type { Domain } from '../task.ts';
import type { Trajectory } from '../trajectory.ts';

/** A body as {@link answerBody} writes it: the fences are its first and last line, whatever the program holds. */
const programBody = /^\n```py\n([\s\S]*)\n```\n$/;

/**
 * A program somewhere in a model's words. White space is taken as a whole, never bit by bit: else a fence that is not
 * closed takes quadratic time.
 */
const fencedProgram = /```(?:py|python)(?=(?<feeds>\s*\n))\k<feeds>(?<program>[\s\S]*?)\n?```/;

/** The body of `<answer>`: maths as `\boxed{...}`, a program as one fenced `py` block, other text as it is. */
export function answerBody(domain: Domain, answer: string): string {
  if (domain === 'math') return lastBoxed(answer) === undefined ? `\\boxed{${answer}}` : answer;
  if (domain === 'code')
    return `\n\`\`\`py\n${fencedProgram.exec(answer)?.groups?.program ?? answer.trim()}\n\`\`\`\n`;
  return answer;
}

/** The answer that a body of `<answer>` states. The inverse of {@link answerBody} up to white space at the ends. */
export function answerText(domain: Domain, body: string): string {
  if (domain === 'math') return (lastBoxed(body) ?? body).trim();
  if (domain === 'code')
    return programBody.exec(body)?.[1] ?? fencedProgram.exec(body)?.groups?.program ?? body.trim();
  return body.trim();
}

/** The answer that a trajectory states at its end; undefined where it does not end with `<answer>`. */
export function finalAnswer({
  segments,
  domain,
}: Pick<Trajectory, 'segments' | 'domain'>): string | undefined {
  // A player may write other words before the tag, or leave another one open.
  const text = segments.at(-1)?.text ?? '';
  const start = text.endsWith('</answer>') ? text.lastIndexOf('<answer>') : -1;
  const body = start < 0 ? undefined : text.slice(start + '<answer>'.length, -'</answer>'.length);
  return body === undefined ? undefined : answerText(domain, body);
}

/** What the last `\boxed{...}` of a text holds, braces balanced; undefined without one. */
export function lastBoxed(text: string): string | undefined {
  const start = text.lastIndexOf('\\boxed{');
  if (start < 0) return undefined;
  const open = start + '\\boxed{'.length;
  let depth = 1;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(open, at);
  }
  return undefined;
}
