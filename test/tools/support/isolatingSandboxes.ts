import type { Sandbox } from '../../../contract/sandbox.ts';
import type { JailOptions } from '../../../tools/sandbox/createJailedSandbox.ts';
import { createBubblewrapSandbox, createNsjailSandbox } from '../../../tools/sandbox/jails.ts';
import { nsjailPath } from './nsjail.ts';

/** The back ends that claim to isolate, by name. */
export const isolatingSandboxes: readonly (readonly [
  name: string,
  create: (options: JailOptions) => Sandbox,
])[] = [
  ['bubblewrap', createBubblewrapSandbox],
  ['nsjail', (options) => createNsjailSandbox({ ...options, file: nsjailPath() })],
];
