import { existsSync } from 'node:fs';
import { suggestion } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import { keyTree } from '../../schemas/config/keyTree.ts';
import {
  type TurnMap,
  turnMapPresetNames,
  turnMapPresets,
  turnMapSchema,
} from '../../schemas/interchange/turnMap.ts';
import type { ImportFormat } from '../../teachers/importers/formats.ts';
import { readConfigDocument } from '../config/configDocument.ts';
import { parseDocument } from '../config/parseConfig.ts';

/**
 * What `--map` says of turns of text: a preset, or a YAML or JSON file of {@link turnMapSchema}; undefined where it
 * says nothing.
 *
 * @throws UserError for more than one, for another format, and for what is neither preset nor such a file
 */
export async function loadTurnMap(
  names: readonly string[],
  format: ImportFormat,
): Promise<TurnMap | undefined> {
  const [name, second] = names;
  if (name === undefined) return undefined;
  if (second !== undefined)
    throw new UserError(`--map: ${name} and ${second} both say how turns are read; name one`);
  if (format !== 'openai')
    throw new UserError(`--map: ${name} is for conversations, the format openai; got ${format}`);
  if (isPreset(name)) return turnMapPresets[name];
  if (!existsSync(name)) {
    throw new UserError(
      `--map: expected tool=tag such as lookup=wiki_search, a preset, or a file; "${name}" is none of them (presets: ${suggestion(name, turnMapPresetNames)})`,
    );
  }
  return parseDocument(await readConfigDocument(name), turnMapSchema, keyTree(turnMapSchema));
}

function isPreset(name: string): name is keyof typeof turnMapPresets {
  return Object.hasOwn(turnMapPresets, name);
}
