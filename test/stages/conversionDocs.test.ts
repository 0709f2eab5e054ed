import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tagKindSchema } from '../../schemas/coa/profile.ts';
import { convertConfigSchema } from '../../schemas/config/convert.ts';
import {
  agentCallEventSchema,
  roleSchema,
  toolCallEventSchema,
  traceEventSchema,
  traceSchema,
} from '../../schemas/trace.ts';
import { connectives } from '../../stages/convert/thoughts.ts';

const page = await readFile(new URL('../../docs/conversion.md', import.meta.url), 'utf8');

/** The cells of every row of the page's tables, names without their back quotes. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('|--'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`(\w+)`/, '$1')),
  );

/** The names that rows of a kind list, one or several a row. */
const namesOf = (kind: string) =>
  rows.filter(([first]) => first === kind).flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));

const agentFields = Object.keys(agentCallEventSchema.shape);
const toolFields = Object.keys(toolCallEventSchema.shape);
const common = agentFields.filter((field) => toolFields.includes(field));
const apart = (fields: string[]) => fields.filter((field) => !common.includes(field));

test.each<[string, readonly string[]]>([
  ['trace', Object.keys(traceSchema.shape)],
  ['event', traceEventSchema.options.map((option) => option.shape.type.value)],
  ['role', roleSchema.options],
  ['tag kind', tagKindSchema.options],
  ['any event', common],
  ['agent call', apart(agentFields)],
  ['tool call', apart(toolFields)],
])('docs/conversion.md lists every %s once', (kind, names) => {
  expect(namesOf(kind).sort()).toEqual([...names].sort());
});

test('docs/conversion.md lists every connective to the letter', () => {
  for (const [name, words] of Object.entries(connectives)) {
    expect(rows.filter(([before, text]) => before?.startsWith(`${name}:`) && text === words)).toHaveLength(1);
  }
});

test('docs/conversion.md names every setting and value, the defaults first', () => {
  const { thinking, failed_calls } = convertConfigSchema.shape;
  for (const [name, schema] of Object.entries({ thinking, failed_calls })) {
    const at = rows.findIndex(([setting]) => setting === name);
    const values = schema.def.innerType.options;
    expect(rows.slice(at, at + values.length).map(([, value]) => value)).toEqual(values);
    expect(values[0]).toBe(schema.parse(undefined));
  }
});
