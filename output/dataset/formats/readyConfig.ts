import { renderYaml, type YamlComments } from '../../quoting/renderYaml.ts';
import type { TextFile } from '../datasetFormat.ts';

// On its own: trainers' plans need it, and not what writes columns, which takes 15 MB.

/** A complete configuration that `command` trains with, in the format's folder. */
export function readyConfig(
  path: string,
  command: string,
  config: Readonly<Record<string, unknown>>,
  comments: YamlComments,
): TextFile {
  const text = `# Run in this folder: ${command}\n${renderYaml(config, comments)}`;
  return { path, text, what: 'a ready configuration; set the model' };
}
