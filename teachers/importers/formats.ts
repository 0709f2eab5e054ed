import type { JsonValue } from '../../base/json.ts';
import type { TurnMap } from '../../schemas/interchange/turnMap.ts';
import { readOpenai } from './openai/readOpenai.ts';
import { readAdp } from './readAdp.ts';
import { readAtif } from './readAtif.ts';
import { readOagents } from './readOagents.ts';
import type { ForeignRun } from './runs/foreignRun.ts';

/** The formats of other systems' traces. */
export const runReaders = {
  oagents: readOagents,
  atif: readAtif,
  adp: readAdp,
  openai: readOpenai,
} as const satisfies Record<string, ReadRun>;

/** Every format that can be imported; `afm` holds finished trajectories, the others traces. */
export const importFormats = ['oagents', 'atif', 'adp', 'openai', 'afm'] as const;
/** A format that records are imported from. */
export type ImportFormat = (typeof importFormats)[number];

/**
 * Reads one row of a format as a run. Throws `RowRefusal` for a row that it can't.
 *
 * @param map how turns of text are read; of a format that has them
 */
export type ReadRun = (value: JsonValue, map?: TurnMap) => ForeignRun;
