import { readAdp } from './adp/readAdp.ts';
import { readAtif } from './atif/readAtif.ts';
import type { ReadRun } from './importRow.ts';
import { readOagents } from './oagents/readOagents.ts';
import { readOpenai } from './openai/readOpenai.ts';

/** The formats of other systems' traces. */
export const runReaders = {
  oagents: readOagents,
  atif: readAtif,
  adp: readAdp,
  openai: readOpenai,
} as const satisfies Record<string, ReadRun>;

/** Every format that can be imported; `afm` holds finished trajectories, the others traces. */
export const importFormats = ['oagents', 'atif', 'adp', 'openai', 'afm'] as const;
/** See {@link importFormats}. */
export type ImportFormat = (typeof importFormats)[number];
