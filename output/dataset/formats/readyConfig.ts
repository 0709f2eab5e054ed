import { renderYaml, type YamlComments } from '../../quoting/renderYaml.ts';
import type { TextFile } from '../datasetFormat.ts';

// Separate module, since trainers' plans need it without the column writers, which take 15 MB.

export function readyConfig(
  path: string,
  command: string,
  config: Readonly<Record<string, unknown>>,
  comments: YamlComments,
): TextFile {
  const text = `# Run in this folder: ${command}\n${renderYaml(config, comments)}`;
  return { path, text, what: 'a ready configuration; set the model' };
}
