import type { JsonValue } from '../../base/json.ts';
import { plainValuesSchema } from './keyMeaning.ts';

const secretName =
  '(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|password|credentials?|token|webhook[_-]?url)';
/** Keys of trackers and hubs: values of such keys are secrets. */
const secretKey = new RegExp(`(?:^|[^a-z0-9])${secretName}$`, 'i');
/** Such a key with its value within a text: of an environment variable, a query, JSON. */
const secretText = new RegExp(`(?:^|[^a-z0-9])${secretName}["'\\\\]*\\s*[=:]\\s*\\S`, 'i');

/** `training.set`. Which keys there may be depends on the trainer; secrets are never taken, since all of it is written down. */
export const trainerSettingsSchema = plainValuesSchema.superRefine((set, context) => {
  for (const path of secretPaths(set)) {
    context.addIssue({
      code: 'custom',
      path,
      message:
        'no keys and tokens, which are never written into files: give it to the trainer as an environment variable (WANDB_API_KEY, SWANLAB_API_KEY, HF_TOKEN)',
    });
  }
});

/** Where a value holds secrets: the key that names each, or the text that it stands in. */
function secretPaths(value: JsonValue, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return secretText.test(value) ? [[...path]] : [];
  return childrenOf(value).flatMap(([key, child]) => {
    const here = [...path, key];
    if (secretText.test(key) || (secretKey.test(key) && holdsText(child))) return [here];
    return secretPaths(child, here);
  });
}

/** Switches are no secrets (`data.balance_dp_token` of verl). */
function holdsText(value: JsonValue): boolean {
  if (typeof value === 'string' || typeof value === 'number') return true;
  return childrenOf(value).some(([, child]) => holdsText(child));
}

function childrenOf(value: JsonValue): [string, JsonValue][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).map(([key, child]) => [key, child ?? null]);
}
