import type { JsonValue } from '../../base/json.ts';
import { readChat } from './chat/readChat.ts';
import { readAdp } from './readAdp.ts';
import { readAtif } from './readAtif.ts';
import type { ForeignRun, Reading } from './runs/foreignRun.ts';

/** Readers of other systems' traces by format. */
export const runReaders = {
  atif: readAtif,
  adp: readAdp,
  openai: readChat,
} as const satisfies Record<string, ReadRun>;

/** All import formats; `afm` contains finished trajectories, `sft` finished rows, the others traces. */
export const importFormats = ['atif', 'adp', 'openai', 'afm', 'sft'] as const;
/** A format that records are imported from. */
export type ImportFormat = (typeof importFormats)[number];

/** Reads one row of a format as a run. Throws `RowRefusal` if it cannot. */
export type ReadRun = (value: JsonValue, reading: Reading) => ForeignRun;
