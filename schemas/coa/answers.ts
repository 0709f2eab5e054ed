import type { Domain } from '../task.ts';
import type { Trajectory } from '../trajectory.ts';

/** Body written by {@link answerBody}: the fences are its first and last line, whatever the program contains. */
const programBody = /^\n```py\n([\s\S]*)\n```\n$/;

/**
 * A program inside a model's text. White space is matched as a whole: otherwise an unclosed fence takes quadratic
 * time.
 */
const fencedProgram = /```(?:py|python)(?=(?<feeds>\s*\n))\k<feeds>(?<program>[\s\S]*?)\n?```/;

/** Body of `<answer>`: maths as `\boxed{...}`, a program as one fenced `py` block, other text unchanged. */
export function answerBody(domain: Domain, answer: string): string {
  if (domain === 'math') return lastBoxed(answer) === undefined ? `\\boxed{${answer}}` : answer;
  if (domain === 'code')
    return `\n\`\`\`py\n${fencedProgram.exec(answer)?.groups?.program ?? answer.trim()}\n\`\`\`\n`;
  return answer;
}

/** Answer in a body of `<answer>`. The inverse of {@link answerBody} except for surrounding white space. */
export function answerText(domain: Domain, body: string): string {
  if (domain === 'math') return (lastBoxed(body) ?? body).trim();
  if (domain === 'code')
    return programBody.exec(body)?.[1] ?? fencedProgram.exec(body)?.groups?.program ?? body.trim();
  return body.trim();
}

/** Final answer of a trajectory; undefined if it does not end with `<answer>`. */
export function finalAnswer({
  segments,
  domain,
}: Pick<Trajectory, 'segments' | 'domain'>): string | undefined {
  // A player may write other text before the tag, or leave another one open.
  const text = segments.at(-1)?.text ?? '';
  const start = text.endsWith('</answer>') ? text.lastIndexOf('<answer>') : -1;
  const body = start < 0 ? undefined : text.slice(start + '<answer>'.length, -'</answer>'.length);
  return body === undefined ? undefined : answerText(domain, body);
}

/** Content of the last `\boxed{...}` with balanced braces; undefined without one. */
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
