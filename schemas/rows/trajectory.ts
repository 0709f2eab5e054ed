import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { type TrajectoryRow, trajectoryOfRow, trajectoryRowSchema } from '../trainers/trajectoryRow.ts';
import { type Trajectory, trajectorySchema } from '../trajectory.ts';
import type { DatasetRow, RowProblem } from './datasetRow.ts';
import { pathText, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';

/** The canonical records: a record of a run, or a line of `trajectories.jsonl`, whose tests are a text or null. */
export const trajectoryCodec: RowCodec = {
  name: 'trajectory',
  columns: 'segments of a trajectory of coa-distill',
  reads: [...Object.keys(trajectoryRowSchema.shape), ...Object.keys(trajectorySchema.shape)],
  recognises: ({ segments }) => {
    const first = Array.isArray(segments) ? segments[0] : undefined;
    return isJsonObject(first) && 'text' in first && !('label' in first);
  },
  read: (raw) => readColumns(spokenSchema, raw, (record) => rowOfRecord(raw, record)),
};

/** Parses the record of a row. */
export function readTrajectory(raw: JsonObject): Trajectory | RowProblem {
  const isLine = raw.tests === null || typeof raw.tests === 'string';
  const parsed = isLine ? trajectoryRowSchema.safeParse(raw) : trajectorySchema.safeParse(raw);
  if (!parsed.success) {
    const { path, code, message } = parsed.error.issues[0]!;
    return { path: pathText(path), code, problem: message };
  }
  return isLine ? trajectoryOfRow(parsed.data as TrajectoryRow) : (parsed.data as Trajectory);
}

/** Fields of a record needed to read its text; {@link readTrajectory} checks the rest. */
const spokenSchema = z.looseObject({
  system: z.string().nullish(),
  user: z.string().nullish(),
  segments: z.array(z.looseObject({ text: z.string(), origin: z.string().nullish() })).min(1),
});

function rowOfRecord(raw: JsonObject, { system, user, segments }: z.infer<typeof spokenSchema>): DatasetRow {
  const prompts = [
    ...(system ? [{ text: system, role: 'system', origin: 'prompt', weight: 0 } as const] : []),
    ...(user ? [{ text: user, role: 'user', origin: 'prompt', weight: 0 } as const] : []),
  ];
  const written = segments.map(({ text, origin }) =>
    origin === 'environment'
      ? ({ text, role: 'tool', origin, weight: 0 } as const)
      : ({ text, role: 'assistant', origin: 'model', weight: 1 } as const),
  );
  return rowOfPieces(raw, 'trajectory', 'origin', [...prompts, ...written]);
}
