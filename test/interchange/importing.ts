import type { JsonValue } from '../../base/json.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { Profile, TagRule } from '../../schemas/coa/profile.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { answer, observation, think } from '../../schemas/coa/profiles/tags.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { importTraceRow, type TraceImportOptions } from '../../teachers/importers/createImporters.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';

/** Thought and call in turn, ended by an answer: a profile with one tool. */
export function reactProfile(tool: TagRule): Profile {
  return {
    name: 'react',
    title: 'Thought and call in turn',
    domain: 'qa',
    tags: [think, tool, observation, answer],
    first: [tool.tag, 'answer'],
    follows: { [tool.tag]: [tool.tag, 'answer'] },
    follows_when: [],
    think_before: [],
    think_optional_before: [tool.tag, 'answer'],
    once: ['answer'],
    min_interactions: 0,
    instruction: 'Search.',
    prompt_style: 'question',
  };
}

/** The path of a fixture of this folder. */
export function fixturePath(name: string): string {
  return new URL(`../fixtures/interchange/${name}`, import.meta.url).pathname;
}

/** The rows of a fixture; all must be JSON. */
export function fixtureRows(name: string): Promise<JsonValue[]> {
  return rowsOf(fixturePath(name));
}

/** The rows of a file; all must be JSON. */
export async function rowsOf(path: string): Promise<JsonValue[]> {
  const rows: JsonValue[] = [];
  for await (const row of (await openRowFile(path)).rows()) {
    if ('problem' in row) throw new Error(`${path}:${row.row}: ${row.problem}`);
    rows.push(row.value);
  }
  return rows;
}

/** What of {@link TraceImportOptions} tests vary. */
export type ImportAs = {
  readonly profile?: string;
  readonly map?: Readonly<Record<string, string>>;
  readonly onUnread?: OnUnread;
};

/** Imports one row of a format. */
export function importValue(
  format: TraceImportOptions['format'],
  value: JsonValue,
  as: ImportAs = {},
): Trace {
  const importRow = importTraceRow({
    format,
    profileOf: builtinProfile,
    tools: new Map(Object.entries(as.map ?? {})),
    onUnread: as.onUnread ?? 'leave-out',
    ...(as.profile !== undefined && { profile: as.profile }),
  });
  return importRow(value, { file: 'test.jsonl', row: 1 }).record;
}

/** Why a row is refused; fails when it is not. */
export function refusalOf(work: () => unknown): Pick<RowRefusal, 'reason' | 'code' | 'path'> {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RowRefusal)) throw error;
    const { reason, code, path } = error;
    return { reason, code, path };
  }
  throw new Error('the row was not refused');
}

/** Converts a trace and makes sure that the trajectory's text reads back and keeps the grammar. */
export function convertClean(trace: Trace): Trajectory {
  const profile = builtinProfile(trace.profile) as Profile;
  const trajectory = convertTrace(trace, profile, qwenSystemPrompt);
  const { blocks, issues } = parseBlocks(profile, outputOf(trajectory));
  const findings = [...issues, ...checkGrammar(profile, blocks)];
  if (findings.length > 0) throw new Error(findings.map((finding) => finding.message).join('\n'));
  return trajectory;
}

/** The text of the assistant's turn. */
export function outputOf({ segments }: Pick<Trajectory, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}
