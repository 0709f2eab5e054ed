import { canonicalJson } from '../../base/ids.ts';
import { isJsonObject, type JsonObject, safeParseJson } from '../../base/json.ts';
import { codeBody } from './layout.ts';
import type { BodyRule } from './profile.ts';

/** Program of a `<code>` block. */
interface ProgramBody {
  readonly code: string;
  readonly stdin?: string;
}

/** Text between a segment's tags; everything after the opening tag if it is not closed. */
export function bodyOf({ tag, text }: { readonly tag: string; readonly text: string }): string {
  const end = text.lastIndexOf(`</${tag}>`);
  return text.slice(tag.length + 2, end < 0 ? undefined : end);
}

const programStart = /^\n```(?:py|python)\n/;
const stdinStart = '\n```\n```sh\n';
const fenceEnd = '\n```\n';
const jsonStart = '\n```json\n';
const scoreLine = /^\s*The score this time is:\s*([1-4])\s*$/;
const grade =
  /(?<!\w)(information[_ ]conflict|tool[_ ]effectiveness|trajectory[_ ]monitoring)["'*]{0,3}\s{0,8}:\s{0,8}["'*]{0,3}(Good|Average|Fair|Poor)\b/gi;
/** Characters that lists, sentences and objects put around grades. */
const aroundGrades = /^[\s\d.,;|(){}"'*-]*$/;

/** Criteria of a graded reflection in written order. */
export const reflectionCriteria = [
  'information_conflict',
  'tool_effectiveness',
  'trajectory_monitoring',
] as const;

/** The grades of a reflection; the released prompts also say Fair for Average. */
export const reflectionGrades = ['Good', 'Average', 'Poor'] as const;

/**
 * The program and its stdin, or undefined when the body is not a fenced program. Fences that stand otherwise than
 * {@link toolBody} writes them are read as AFM's sandbox reads them (verl/tools/utils/code_executors/utils.py,
 * `parse_code_blobs_stdin_answer`): wherever they are, several programs as one.
 */
export function parseProgramBody(body: string): ProgramBody | undefined {
  return programAsWritten(body) ?? programAnywhere(body)?.program;
}

function programAsWritten(body: string): ProgramBody | undefined {
  const codeAt = programStart.exec(body)?.[0].length;
  const end = body.length - fenceEnd.length;
  if (codeAt === undefined || end < codeAt || !body.endsWith(fenceEnd)) return undefined;
  const split = body.indexOf(stdinStart, codeAt);
  const stdinAt = split + stdinStart.length;
  if (split < 0 || stdinAt > end) return { code: body.slice(codeAt, end) };
  return { code: body.slice(codeAt, split), stdin: body.slice(stdinAt, end) };
}

/** The program in any fences, and the text outside them. */
function programAnywhere(
  body: string,
): { readonly program: ProgramBody; readonly outside: string } | undefined {
  const programs = fenced(body, /```(?:py|python)\n/g, '\n```');
  if (programs.inside.length === 0) return undefined;
  const inputs = fenced(programs.outside, /```(?:sh|bash)\n/g, '```');
  const code = programs.inside.map((text) => text.trim()).join('\n\n');
  const stdin = inputs.inside.map((text) => text.replace(/\n$/, '')).join('\n');
  return { program: stdin === '' ? { code } : { code, stdin }, outside: inputs.outside };
}

/** Contents of fences of a kind, and the text without them; an unclosed fence is text. */
function fenced(text: string, opening: RegExp, closing: string) {
  const inside: string[] = [];
  let outside = '';
  let done = 0;
  for (let open = opening.exec(text); open; open = opening.exec(text)) {
    const start = opening.lastIndex;
    const end = text.indexOf(closing, start);
    if (end < 0) break;
    inside.push(text.slice(start, end));
    outside += text.slice(done, open.index);
    done = end + closing.length;
    opening.lastIndex = done;
  }
  return { inside, outside: outside + text.slice(done) };
}

/**
 * Object of a JSON body, or undefined. Either fence may be missing, as AFM's tool accepts
 * (verl/tools/visual_inspector.py, `_clean_json_string`).
 */
export function parseJsonBody(body: string): JsonObject | undefined {
  const parsed = safeParseJson(jsonText(body));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function jsonText(body: string): string {
  return body
    .trim()
    .replace(/^```json/, '')
    .replace(/```$/, '')
    .trim();
}

export function parseScore(body: string): number | undefined {
  const match = scoreLine.exec(body);
  return match ? Number(match[1]) : undefined;
}

/** Grades of a reflection by criterion; undefined if one is missing. */
export function parseGrades(body: string): Readonly<Record<string, string>> | undefined {
  const grades: Record<string, string> = {};
  for (const [, criterion = '', value = ''] of body.matchAll(grade)) {
    grades[criterion.toLowerCase().replace(' ', '_')] = value;
  }
  return reflectionCriteria.every((criterion) => criterion in grades) ? grades : undefined;
}

/** Violation of a body's rule as text; undefined if valid. */
export function bodyProblem(rule: BodyRule, body: string): string | undefined {
  if (body.trim() === '') return 'the block is empty';
  if (rule === 'code' && !parseProgramBody(body))
    return 'expected a fenced py block, then at most one sh block';
  if (rule === 'json' && !parseJsonBody(body)) return 'expected one JSON object in a fenced json block';
  if (rule === 'score' && parseScore(body) === undefined)
    return 'expected "The score this time is:N", N from 1 to 4';
  if (rule === 'grades' && !parseGrades(body))
    return `expected a grade for each of ${reflectionCriteria.join(', ')}`;
  if (rule === 'urls' && body.split('|').some((url) => !/^https?:\/\/\S+$/.test(url.trim()))) {
    return 'expected http(s) URLs joined by |';
  }
  return undefined;
}

/**
 * Canonical form of a body: the same program, object or grades. A body that matches no form of its rule, or has extra
 * words, is returned unchanged.
 */
export function canonicalBody(rule: BodyRule, body: string): string {
  if (rule === 'code') return canonicalProgram(body);
  if (rule === 'json') return parseJsonBody(body) ? `${jsonStart}${jsonText(body)}${fenceEnd}` : body;
  if (rule !== 'grades' || !aroundGrades.test(body.replace(grade, ''))) return body;
  const grades = parseGrades(body);
  return grades ? gradesBody(grades) : body;
}

function canonicalProgram(body: string): string {
  const found = programAsWritten(body) ? undefined : programAnywhere(body);
  const program = found && found.outside.trim() === '' ? found.program : programAsWritten(body);
  return program ? codeBody(program.code, program.stdin) : body;
}

/** The body of a graded reflection. The inverse of {@link parseGrades}. */
export function gradesBody(grades: Readonly<Record<string, string>>): string {
  return `\n${reflectionCriteria.map((criterion) => `${criterion}: ${grades[criterion]}`).join('\n')}\n`;
}

/** The body of a double check. The inverse of {@link parseScore}. */
export function scoreBody(score: number): string {
  return `The score this time is:${score}`;
}

/**
 * The body of a tool's tag for an input: the query, the URLs joined by ` | `, the fenced program, or the input itself
 * as a fenced JSON object. An input of another shape is written as canonical JSON.
 */
export function toolBody(rule: BodyRule, input: JsonObject): string {
  const { query, urls, code, stdin } = input;
  if (rule === 'code' && typeof code === 'string') {
    return codeBody(code, typeof stdin === 'string' ? stdin : undefined);
  }
  if (rule === 'urls' && Array.isArray(urls)) return urls.join(' | ');
  if (rule === 'text' && typeof query === 'string') return query;
  return rule === 'json' ? `${jsonStart}${canonicalJson(input)}${fenceEnd}` : canonicalJson(input);
}

/**
 * Inputs that a tool tag's body may mean, likeliest first; the inverse of `toolBody`. Empty if the body breaks its
 * rule. Text is a query, or JSON if the tool takes something else.
 */
export function askedInputs(rule: BodyRule, body: string): JsonObject[] {
  const parsed = (input: object | undefined) => (input ? [{ ...input } as JsonObject] : []);
  const text = body.trim();
  if (text === '') return [];
  if (rule === 'urls') return [{ urls: text.split('|').map((url) => url.trim()) }];
  if (rule === 'code') return parsed(parseProgramBody(body));
  if (rule === 'json') return parsed(parseJsonBody(body));
  const json = safeParseJson(text);
  return [{ query: text }, ...(json.ok && isJsonObject(json.value) ? [json.value] : [])];
}

/**
 * Folds insignificant differences of a tool's input: case and white space of a query, white space at line ends of
 * programs, and surrounding white space of URLs and JSON.
 */
export function foldToolInput(rule: BodyRule, body: string): string {
  if (rule === 'code') return body.replace(/(?<![ \t])[ \t]+$/gm, '').trim();
  if (rule === 'json') return body.trim();
  if (rule === 'urls')
    return body
      .split('|')
      .map((url) => url.trim())
      .join('|');
  return body.toLowerCase().replace(/\s+/g, ' ').trim();
}
