import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { allowedNames } from '../../base/nearestName.ts';
import { configKeys } from '../../schemas/config/config.ts';
import { mergedValue } from '../../schemas/config/filterPresets.ts';
import { modelPlaces } from '../../schemas/config/keyTree.ts';
import type { ConfigDocument } from './configDocument.ts';
import { ConfigProblems } from './configProblems.ts';
import { valueAt } from './explainIssues.ts';

type Path = readonly PropertyKey[];

interface WholeModel {
  readonly model: JsonValue;
  /** Paths at which its keys are written; the first wins. */
  readonly homes: readonly Path[];
}

/**
 * Resolves model names and `extends`. Messages name keys at their original place.
 *
 * @throws UserError for names missing from `models`, and for circular `extends`
 */
export function resolveModels(document: ConfigDocument): ConfigDocument {
  const written = document.value;
  if (!isJsonObject(written)) return document;
  const named = isJsonObject(written.models) ? written.models : {};
  const problems = new ConfigProblems(document);

  function whole(model: JsonValue, at: Path, above: readonly string[]): WholeModel {
    const alone = { model, homes: [at] };
    if (typeof model === 'string') return namedModel(model, at, above) ?? alone;
    if (!isJsonObject(model) || typeof model.extends !== 'string') return alone;
    const { extends: base, ...own } = model;
    const from = namedModel(base, [...at, 'extends'], above);
    if (!from || !isJsonObject(from.model)) return alone;
    const { name: _, ...inherited } = from.model;
    return { model: mergedValue(inherited, own as JsonObject)!, homes: [at, ...from.homes] };
  }

  function namedModel(name: string, at: Path, above: readonly string[]): WholeModel | undefined {
    const model = Object.hasOwn(named, name) ? named[name] : undefined;
    if (model === undefined) {
      const known = allowedNames(name, Object.keys(named));
      problems.add(at, `no model of this name is in models; ${known}; or write {model: ${name}}`);
      return undefined;
    }
    if (above.includes(name)) {
      problems.add(at, `${[...above, name].join(' extends ')}: a circle; take one extends out`);
      return undefined;
    }
    const from = whole(model, ['models', name], [...above, name]);
    return { ...from, model: isJsonObject(from.model) ? { name, ...from.model } : from.model };
  }

  const entries = Object.keys(named).map((name) => ['models', name]);
  const resolved = [...entries, ...modelPlaces(configKeys, written)].flatMap((path) => {
    const model = valueAt(written, path) as JsonValue;
    const found = whole(model, path, path[0] === 'models' ? [String(path[1])] : []);
    return found.model === model ? [] : [{ path, ...found }];
  });
  problems.throwIfAny();
  if (resolved.length === 0) return document;
  const value = structuredClone(written) as JsonObject;
  for (const { path, model } of resolved)
    (valueAt(value, path.slice(0, -1)) as Record<PropertyKey, JsonValue>)[path.at(-1)!] = model;

  const origin = (path: Path): Path => {
    const place = resolved.find((one) => one.path.every((key, at) => String(key) === String(path[at])));
    const below = path.slice(place?.path.length);
    if (!place || below.length === 0) return path;
    const home = place.homes.find((one) => valueAt(written, [...one, ...below]) !== undefined);
    return [...(home ?? place.homes[0]!), ...below];
  };
  const { writtenAt = (path) => path } = document;
  return {
    ...document,
    value,
    lineOf: (path) => document.lineOf(origin(path)),
    writtenAt: (path) => writtenAt(origin(path)),
  };
}
