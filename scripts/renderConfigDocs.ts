import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { configJsonSchema } from '../pipeline/config/configJsonSchema.ts';
import { configKeys } from '../schemas/config/config.ts';
import type { KeyNode } from '../schemas/config/keyTree.ts';

/** A key that is told: its dotted name, what its schema says, and its part of the JSON Schema. */
interface ToldKey {
  readonly name: string;
  readonly node: KeyNode;
  readonly schema: JsonValue | undefined;
  readonly isRequired: boolean;
}

/** Groups of so many keys or more are told once, and named where they come again: those of an endpoint, for instance. */
const LEAST_SHARED_KEYS = 4;

const intro = `# Keys of the configuration

\`\`\`sh
coa-distill init mine --profile mhqa
\`\`\`

This page is made from the schema of \`coa.yaml\` by \`npm run docs\`. \`coa-distill init\` writes the same as \`coa.schema.json\`, for editors.

\`*\` stands for a name of your choice, or a place in a list. Relative paths start at the folder of the configuration file. The last column says what another value makes stale: that stage and all later ones; – for nothing.
`;

const jsonSchema = configJsonSchema();

/** The page `docs/configuration.md`: every key of the configuration, from what the keys say of themselves. */
export function renderConfigDocs(): string {
  const told = new Map<string, string>();
  const sections = childrenOf({ name: '', node: configKeys, schema: jsonSchema, isRequired: true });
  const isSection = ({ node }: ToldKey) => node.keys !== undefined || node.each !== undefined;
  const parts = sections.filter(isSection).map((section) => {
    const { name, node } = section;
    return `## ${name}\n\n${node.meaning.description}.\n\n${table(childrenOf(section), told)}`;
  });
  const alone = sections.filter((key) => !isSection(key));
  return [intro, `## The run\n\n${table(alone, told)}`, ...parts].join('\n');
}

function table(keys: readonly ToldKey[], told: Map<string, string>): string {
  const head = ['| key | value | default | meaning | stale from |', '|---|---|---|---|---|'];
  return [...head, ...keys.flatMap((key) => rowsOf(key, told)), ''].join('\n');
}

function rowsOf(key: ToldKey, told: Map<string, string>): string[] {
  const { name, node, isRequired } = key;
  const { description, path, many, shapes = [] } = node.meaning;
  const stage = shapes.some((name) => name === 'chat') ? 'as its section' : (shapes[0] ?? '–');
  const below = childrenOf(key);
  // A mapping with a short form, such as a number.
  const isShort = isJsonObject(key.schema) && Array.isArray(key.schema.anyOf);
  const fallback =
    isJsonObject(key.schema) && (below.length === 0 || isShort) ? key.schema.default : undefined;
  const shownDefault =
    fallback === undefined ? (isRequired ? 'required' : '') : code(JSON.stringify(fallback));
  if (below.length === 0)
    return [
      row(
        name,
        node.model
          ? 'name in `models`, or its keys'
          : path
            ? many
              ? 'path or pattern'
              : 'path'
            : kindOf(key.schema),
        shownDefault,
        description,
        stage,
      ),
    ];
  const names = JSON.stringify(
    below.map(({ node }) => [node.meaning.description, Object.keys(node.keys ?? {})]),
  );
  const before = told.get(names);
  if (before !== undefined)
    return [row(name, 'keys', shownDefault, `${description}. As ${code(before)}`, '')];
  if (below.length >= LEAST_SHARED_KEYS) told.set(names, name);
  const kind = isShort
    ? kindOf(key.schema)
    : node.each
      ? node.schema instanceof z.ZodArray
        ? 'list'
        : 'mapping'
      : 'keys';
  const own = name.endsWith('.*') ? [] : [row(name, kind, shownDefault, description, '')];
  return [...own, ...below.flatMap((child) => rowsOf(child, told))];
}

function childrenOf({ name, node, schema: written }: ToldKey): ToldKey[] {
  const schema = referred(written);
  if (node.each) {
    const each = isJsonObject(schema) ? (schema.items ?? schema.additionalProperties) : undefined;
    return [{ name: `${name}.*`, node: node.each, schema: each, isRequired: false }];
  }
  const required = isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(node.keys ?? {}).map(([key, child]) => ({
    name: name === '' ? key : `${name}.${key}`,
    node: child,
    schema: childSchema(schema, key),
    isRequired: required.includes(key),
  }));
}

/** A part of the JSON Schema, or the definition that it refers to. */
function referred(schema: JsonValue | undefined): JsonValue | undefined {
  const ref = isJsonObject(schema) ? schema.$ref : undefined;
  const definitions = isJsonObject(jsonSchema.$defs) ? jsonSchema.$defs : {};
  return typeof ref === 'string' ? definitions[ref.replace('#/$defs/', '')] : schema;
}

const words: JsonObject = {
  string: 'text',
  object: 'mapping',
  boolean: '`true`, `false`',
  integer: 'whole number',
};

/** What a value may be, in few words. */
function kindOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return 'any';
  const { enum: names, const: only, type, anyOf, items } = schema;
  if (only !== undefined) return code(String(only));
  if (Array.isArray(names)) return names.map((name) => code(String(name))).join(', ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(kindOf))].join(' or ');
  if (type === 'array') return `list of ${kindOf(items)}`;
  return String(words[String(type)] ?? type);
}

function code(text: string): string {
  return `\`${text}\``;
}

function row(name: string, ...cells: readonly (string | undefined)[]): string {
  return `| ${code(name)} | ${cells.map((cell = '') => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** What a JSON Schema says of a key, or of a place in a list. */
function childSchema(schema: JsonValue | undefined, key: PropertyKey): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (typeof key === 'number') return schema.items;
  const objects = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [schema];
  const found = objects.flatMap((object) => {
    const own = isJsonObject(object) && isJsonObject(object.properties) ? object.properties[String(key)] : [];
    return own ?? [];
  });
  if (found.length === 0) return schema.additionalProperties;
  // The key that tells several objects apart has another value in each.
  const names = found.flatMap((one) => (isJsonObject(one) && one.const !== undefined ? [one.const] : []));
  return names.length > 1 ? { enum: names } : found[0];
}
