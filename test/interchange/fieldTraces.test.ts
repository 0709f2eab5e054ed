import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profileRegistryOf } from '../../pipeline/config/declaredProfiles.ts';
import { loadTurnMap } from '../../pipeline/import/loadImport.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { bodyOf } from '../../schemas/coa/bodies.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { webSearch } from '../../schemas/coa/profiles/tags.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import { traceSchema } from '../../schemas/trace.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { importTraceRow } from '../../teachers/importers/createImporters.ts';
import { createImportSource } from '../../teachers/importers/createImportSource.ts';
import { runReaders } from '../../teachers/importers/formats.ts';
import type { ForeignRun } from '../../teachers/importers/runs/foreignRun.ts';
import { profileOfRuns } from '../../teachers/importers/survey/profileOfRuns.ts';
import { RunSurvey } from '../../teachers/importers/survey/runSurvey.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';
import { fixturePath, importValue, outputOf, reactProfile, refusalOf, rowsOf } from './importing.ts';
import { runImport } from './runInProcess.ts';

interface ImportAs {
  readonly format?: 'adp';
  readonly map?: string;
  /** Under the profile that is built from the row. */
  readonly auto?: true;
  readonly onUnread?: OnUnread;
}

const profiles = { web_search: reactProfile(webSearch), bash: reactProfile({ ...webSearch, tag: 'bash' }) };
const tools = new Map([['search', 'web_search']]);
const of = (tool: keyof typeof profiles) => ({
  profile: 'react',
  profileOf: () => profiles[tool],
  tools: undefined,
});

/** Imports the row of a case of the field, under the profile of the tool that it calls. */
async function importCase(file: string, as: ImportAs) {
  const { format = 'openai', map, auto, onUnread = 'refuse' } = as;
  const path = testDataPath(`field/${file}`);
  const [row = null, ...others] = await rowsOf(path);
  expect(others).toEqual([]);
  const named = map?.endsWith('.yaml') ? testDataPath(`field/${map}`) : map;
  const turns = await loadTurnMap(named === undefined ? [] : [named], format);
  const reading = { onUnread, ...(turns && { turns }) };
  const isBash = /"bash"|mswea_bash/.test(readFileSync(path, 'utf8'));
  const { tools: tagged = tools, ...stated } = auto
    ? builtFor(runReaders[format](row, reading))
    : of(isBash ? 'bash' : 'web_search');
  const importRow = importTraceRow({ format, ...stated, tools: tagged, ...reading });
  return { profile: stated.profileOf(), work: () => importRow(row, { file, row: 1 }) };
}

function builtFor(run: ForeignRun) {
  const survey = new RunSurvey(new Map());
  survey.add(run);
  const { declaration, tools } = profileOfRuns(survey);
  const problems = new ConfigProblems({ file: 'built', value: {}, lineOf: () => undefined });
  const profile = profileRegistryOf(problems, [declaration]).profileOf(declaration.name)!;
  return { profile: profile.name, profileOf: () => profile, tools: new Map(Object.entries(tools)) };
}

const think = (text: string) => `think: ${text}`;
const search = (query = 'Vinterby') => `web_search: ${query}`;
const seen = (text = 'The Aske flows past Vinterby.') => `observation: ${text}`;
const aske = 'answer: Aske';
const asked = [search('river Vinterby'), seen(), aske];
const called = [search(), seen(), aske];
const thoughtful = [think('I need the river.'), search(), seen(), think('It says Aske.'), aske];
const asJson = (content: string) => seen(`{"name": "web_search", "content": "${content}"}`);
const silent = seen('(no output)');
const qwen = { map: 'qwen_tool_call' };
const miniSwe = { map: 'map_mini_swe.yaml' };

test.each<[file: string, as: ImportAs, blocks: string[], remarks?: string[]]>([
  ['a01_trl_dict_args_no_id.jsonl', {}, asked],
  ['a02_dict_args.jsonl', {}, asked],
  ['a04_function_call.jsonl', {}, asked],
  ['a05_content_parts.jsonl', {}, [think('I look.'), ...asked]],
  [
    'a06_parallel_out_of_order.jsonl',
    {},
    [search(), seen('RESULT-A'), search('Aske'), seen('RESULT-B'), aske],
  ],
  ['a07_think_in_content.jsonl', {}, thoughtful],
  ['a07_think_in_content.jsonl', qwen, thoughtful],
  [
    'a09_mini_exit_role.jsonl',
    {},
    [
      think('I look.'),
      'bash: cat x',
      seen('<returncode>0</returncode>\n<output>\nx = 1\n</output>'),
      think('Submit.'),
      'bash: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt',
      seen('diff --git a/x b/x'),
      'answer: diff --git a/x b/x',
    ],
    ['answer_printed_by_tool'],
  ],
  ['a10_hermes_sharegpt.jsonl', qwen, [search(), asJson('The Aske flows past Vinterby.'), aske]],
  ['a13_ms_swift_roles.jsonl', {}, called],
  ['a14_anthropic.jsonl', {}, [think('Look it up.\n\nI search.'), ...called]],
  ['a19_thinking_field.jsonl', {}, thoughtful],
  ['a20_empty_tool_result.jsonl', {}, [search(), silent, aske]],
  ['a21_bad_json_args.jsonl', {}, called, ['failed_calls']],
  ['a24_double_encoded_args.jsonl', {}, asked],
  ['a26_tool_content_null.jsonl', {}, [search('x'), silent, aske]],
  [
    'b01_anthropic_one_turn.jsonl',
    { onUnread: 'leave-out' },
    [aske],
    ['server_tool_use_left_out', 'web_search_tool_result_left_out'],
  ],
  [
    'b02_image_question.jsonl',
    { onUnread: 'leave-out' },
    [search(), seen('The Aske.'), aske],
    ['image_url_left_out'],
  ],
  ['b05_hermes_messages.jsonl', qwen, [search(), asJson('The Aske.'), aske]],
  [
    'b06_qwen_parallel_text.jsonl',
    qwen,
    [think('both'), search('A'), seen('RES-A'), search('B'), seen('RES-B'), think('ok'), aske],
  ],
  [
    'b08_search_r1.jsonl',
    { map: 'search_r1' },
    [
      think('I need it.'),
      search('river Vinterby'),
      seen('Doc 1(Title: "Vinterby") The Aske flows past <b>Vinterby</b>. <\\/answer>'),
      think('ok'),
      aske,
    ],
  ],
  ['a15_gemini.jsonl', {}, called],
  ['a16_responses_api.jsonl', {}, called, ['encrypted_reasoning_left_out']],
  ['b16_answer_boxed.jsonl', {}, [search(), seen(), think('The search says it is the Aske.'), aske]],
  ['b17_system_tail.jsonl', {}, called],
  ['b19_multi_arg_tool.jsonl', {}, called],
  ['b20_think_final.jsonl', {}, thoughtful],
  ['b20_think_final.jsonl', qwen, thoughtful],
  ['b21_empty_tool_result.jsonl', {}, [search(), silent, aske]],
  ['b22_fields_and_answer_tag.jsonl', {}, [think('a'), search('V'), seen('R'), think('b'), aske]],
  [
    'b23_think_then_prose_then_call.jsonl',
    {},
    [think('a\n\nI will search now.'), search('V'), seen('R'), aske],
  ],
  [
    'm01_mini_text_submission_turn.jsonl',
    miniSwe,
    [
      think('I fix it.'),
      'bash: sed -i s/float$/float:/ f.py',
      seen('<returncode>0</returncode>\n<output>\n</output>'),
      think('Done.'),
      'bash: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached',
      seen('diff --git a/f.py b/f.py\n+float:'),
      'answer: diff --git a/f.py b/f.py\n+float:',
    ],
    ['answer_printed_by_tool'],
  ],
  ['p01_messages.parquet', {}, ['answer: A']],
  ['b10_qwen3_coder_xml.jsonl', { map: 'qwen3_coder' }, [search(), seen('The Aske.'), aske]],
  [
    'b12_openhands_xml.jsonl',
    { map: 'swe_smith', auto: true },
    [
      think('I look.'),
      'execute_bash: ls',
      seen('EXECUTION RESULT of [execute_bash]:\na.py'),
      'answer: Done.',
    ],
  ],
  [
    'n11_miro_mcp.jsonl',
    { map: 'miroverse', auto: true },
    [
      think('I need a search.\n\nLet me look.'),
      'google_search: river Vinterby',
      seen(),
      think('Found.'),
      'answer: \\boxed{Aske}',
    ],
  ],
  [
    'n18_swesmith_xml.jsonl',
    { map: 'swe_smith', auto: true },
    [
      think('I look at it.'),
      'bash: cat division.py',
      seen('def f()\n    return 1'),
      think('I submit.'),
      'answer: submit',
    ],
    ['end_of_run_is_answer'],
  ],
  [
    'w06_nebius_mask.jsonl',
    { map: 'swe_agent', auto: true },
    [think('I look.'), 'bash: cat a.py', seen('def f()'), 'answer: submit'],
    ['end_of_run_is_answer'],
  ],
  ['n01_null_merged_args.jsonl', { auto: true }, asked, ['null_arguments_left_out']],
  [
    'n17_swe_agent_submit.jsonl',
    { auto: true },
    [
      think('I edit it.'),
      'edit: ```json\n{"replace":"def f():","search":"def f()"}\n```',
      seen('done'),
      think('Now I submit.'),
      'submit: ```json\n{}\n```',
      seen('diff --git a/division.py b/division.py\n-def f()\n+def f():'),
      'answer: diff --git a/division.py b/division.py\n-def f()\n+def f():',
    ],
    ['answer_printed_by_tool'],
  ],
  ['n20_adp_finish.jsonl', { format: 'adp' }, [think('I search.'), ...asked]],
  ['n23_messages_as_text.jsonl', {}, [think('I search.'), ...asked]],
  [
    'n25_output_fence.jsonl',
    { map: 'tora', auto: true },
    ['python: print(17*23)', seen('391'), 'answer: The product is $391$.'],
  ],
])('%s with %j is imported', async (file, as, blocks, remarks = []) => {
  const { profile, work } = await importCase(file, as);
  const imported = work();
  expect(imported.remarks).toEqual(remarks);
  const trajectory = convertTrace(imported.record, profile, 'system');
  const read = parseBlocks(profile, outputOf(trajectory));
  expect([...read.issues, ...checkGrammar(profile, read.blocks)]).toEqual([]);
  const said = trajectory.segments.map((segment) => `${segment.tag}: ${bodyOf(segment).trim()}`);
  expect(said).toEqual(blocks);
  for (const { tag, origin } of trajectory.segments)
    expect(origin).toBe(tag === 'observation' ? 'environment' : 'model');
});

test.each<[file: string, as: ImportAs, code: string, path: string]>([
  ['a10_hermes_sharegpt.jsonl', {}, 'result_without_call', 'conversations[3]'],
  ['a25_empty_args.jsonl', {}, 'unknown_arguments', 'messages[1].tool_calls[0].arguments'],
  ['b01_anthropic_one_turn.jsonl', {}, 'unread_part', 'messages[1].content[0]'],
  ['b02_image_question.jsonl', {}, 'unread_part', 'messages[0].content[1]'],
  ['b04_hermes_python_dict.jsonl', qwen, 'bad_arguments', 'messages[2].call[0]'],
  ['b07_toolstar.jsonl', { map: 'search_r1' }, 'call_without_result', 'messages[2].call[0]'],
  ['b09_deepseek_tokens.jsonl', {}, 'result_without_call', 'messages[2]'],
  ['b10_qwen3_coder_xml.jsonl', qwen, 'bad_arguments', 'messages[1].call[0]'],
  ['b11_smolagents_code.jsonl', {}, 'second_user_message', 'messages[3]'],
  ['b12_openhands_xml.jsonl', {}, 'second_user_message', 'messages[3]'],
  ['b14_anthropic_pending_call.jsonl', {}, 'call_without_result', 'messages[1].content[1]'],
  ['b18_orphan_tool_result.jsonl', {}, 'result_without_call', 'messages[1].tool_call_id'],
  ['b08_search_r1.jsonl', {}, 'result_in_agent_turn', 'messages[1]'],
  ['n25_output_fence.jsonl', {}, 'result_in_agent_turn', 'messages[1]'],
])('%s with %j is refused with the place', async (file, as, code, path) => {
  const { work } = await importCase(file, as);
  expect(refusalOf(work)).toMatchObject({ code, path });
});

test('a bare list of messages is one conversation, on a line and as a file', async () => {
  const [row] = await rowsOf(testDataPath('field/a02_dict_args.jsonl'));
  const { messages } = row as { messages: JsonValue[] };
  const text = JSON.stringify(messages);
  const files = {
    'lines.jsonl': `${text}\n${text}\n`,
    'file.json': text,
    'indented.json': JSON.stringify(messages, null, 2),
    'messages.jsonl': messages.map((message) => JSON.stringify(message)).join('\n'),
    'mixed.json': JSON.stringify([row, ...messages, row]),
  };
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const source = createImportSource({
    stage: { name: 'rollout', version: 1, output: traceSchema },
    files: Object.keys(files).map((name) => join(folder, name)),
    openRows: async () =>
      importTraceRow({ format: 'openai', ...of('web_search'), tools, onUnread: 'refuse' }),
    dropDuplicates: false,
    joinsMessages: true,
    questionKey: ({ id }) => id,
    keepRefused: false,
  });
  const places: unknown[] = [];
  for await (const { outcome } of source.run({ signal: new AbortController().signal })) {
    const { file, row: number } = (outcome.kind === 'emit' && outcome.records[0]?.task.source) || {};
    places.push([file, number]);
  }
  expect(places).toEqual([
    ['lines.jsonl', 1],
    ['lines.jsonl', 2],
    ['file.json', 1],
    ['indented.json', 1],
    ['messages.jsonl', 1],
    ['mixed.json', 1],
    ['mixed.json', 2],
    ['mixed.json', 6],
  ]);
});

test('what is left out stands in the record and is counted in the stage', async () => {
  const folder = temporaryFolder();
  const files = ['a21_bad_json_args.jsonl', 'b02_image_question.jsonl'];
  for (const file of [...files, 'profile_react_nofilter.yaml'])
    copyFileSync(testDataPath(`field/${file}`), join(folder, file));
  const request = {
    format: 'openai',
    files,
    profile: 'react',
    configFile: 'profile_react_nofilter.yaml',
  } as const;
  const refused = await runImport(folder, { ...request, name: 'refused' });
  expect(refused.funnel).toMatchObject([{ entered: 2, emitted: 1, dropped: { unsupported_row: 1 } }]);
  const left = await runImport(
    folder,
    { ...request, name: 'left', onUnread: 'leave-out' },
    { until: 'filter' },
  );
  expect(left.funnel.map(({ emitted }) => emitted)).toEqual([2, 2, 2, 2]);
  expect(await readStageFile(left.folder, 'rollout')).toMatchObject({
    remarks: { failed_calls: 1, image_url_left_out: 1 },
  });
});

test('a trace that ends on a result of a tool has no answer', async () => {
  const { work } = await importCase('a23_ends_on_tool.jsonl', {});
  expect(refusalOf(work)).toMatchObject({ code: 'failed_run', path: 'messages[1]' });
});

test('a row of ADP that ends on a page, as those of TurkingBench do, is refused at import', () => {
  const page = (html: string) => ({ class_: 'web_observation', html, axtree: null, url: null });
  const click = { class_: 'api_action', function: 'click', kwargs: { xpath: '//input[1]' } };
  const row: { id: string; content: JsonObject[] } = {
    id: 'boats__7',
    content: [
      { class_: 'text_observation', content: 'Fill in https://example.org/7', source: 'user' },
      { class_: 'api_action', function: 'goto', kwargs: { url: 'https://example.org/7' } },
      page('<form><input type="radio"/></form>'),
      click,
      page('<form><input type="radio" checked="checked"/></form>'),
    ],
  };
  const map = { goto: 'wiki_search', click: 'wiki_search' };
  const read = () => importValue('adp', row, { profile: 'mhqa', map });
  expect(refusalOf(read)).toMatchObject({ code: 'failed_run', path: 'content[3]' });
  row.content.push({ class_: 'message_action', content: '<finish> Done. </finish>' });
  expect(read().final_answer).toBe('Done.');
});

test.each([
  ['n01_null_merged_args.jsonl', {}, ['Aske']],
  ['n16_ground_truth_column.jsonl', {}, ['Aske']],
  ['n23_messages_as_text.jsonl', {}, ['Aske']],
])('the gold answer of %s is read', async (file, as, answers) => {
  const { work } = await importCase(file, as);
  expect(work().record.task.answers).toEqual(answers);
});

test('the log of a session is named once, not as rows without messages', async () => {
  const rows = await rowsOf(testDataPath('field/n07_claude_code_session.jsonl'));
  const codes = rows.map((row) => refusalOf(() => runReaders.openai(row, { onUnread: 'refuse' })).code);
  expect(new Set(codes)).toEqual(new Set(['session_log']));
});

test('what is not read of rows, and rows without a gold answer, are counted by name', async () => {
  const folder = temporaryFolder();
  const row = {
    id: 'r1',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Where?', cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant', content: 'Norland', weight: 0, annotations: null },
    ],
    tools: [],
    resolved: true,
    label: null,
  };
  const alpaca = {
    instruction: 'Question: Where?',
    output: '<answer>Norland</answer>',
    source: 'x',
    target: 'Norland',
  };
  writeFileSync(join(folder, 'chat.jsonl'), JSON.stringify(row));
  writeFileSync(join(folder, 'rows.jsonl'), JSON.stringify(alpaca));
  const chats = await runImport(folder, {
    format: 'openai',
    files: ['chat.jsonl'],
    profile: 'mhqa',
    name: 'chats',
  });
  expect((await readStageFile(chats.folder, 'rollout'))?.remarks).toEqual({
    no_gold_answer: 1,
    'messages[].content[].cache_control_not_read': 1,
    'messages[].weight_not_read': 1,
    resolved_not_read: 1,
  });
  expect(chats.notes.filter((note) => note.includes('not_read'))).toHaveLength(1);
  const rows = await runImport(folder, { format: 'afm', files: ['rows.jsonl'], name: 'rows' });
  const { remarks } = (await readStageFile(rows.folder, 'convert'))!;
  expect(remarks).toMatchObject({ source_not_read: 1 });
  expect(remarks).not.toHaveProperty('no_gold_answer');
});

test('a column of pictures beside the messages refuses the row', async () => {
  const [row] = await rowsOf(testDataPath('field/a02_dict_args.jsonl'));
  const pictured = { ...(row as JsonObject), image_path: 'a.png' };
  const read = (value: JsonValue, onUnread: OnUnread) => runReaders.openai(value, { onUnread });
  expect(refusalOf(() => read(pictured, 'refuse'))).toMatchObject({
    code: 'unread_part',
    path: 'image_path',
  });
  expect(read(pictured, 'leave-out').remarks).toEqual(['image_path_left_out']);
  expect(read({ ...(row as JsonObject), image_path: '' }, 'refuse').remarks).toEqual([]);
});

test('without a configuration, published rows are not dropped for words of a form', async () => {
  const folder = temporaryFolder();
  const published = readFileSync(fixturePath('web.afm.txt'), 'utf8').trimEnd();
  const output = published.replace(/<think>[^<]*<\/think>/, '<think>...</think>');
  const row = { instruction: 'Answer.', input: 'Question: Where?', output };
  writeFileSync(join(folder, 'rows.jsonl'), JSON.stringify(row));
  const request = { format: 'afm', files: ['rows.jsonl'], name: 'rows' } as const;
  const { funnel } = await runImport(folder, request, { until: 'filter' });
  expect(funnel.at(-1)).toMatchObject({ stage: 'filter', emitted: 1 });
});

test('a message of ADP that holds a call of OpenHands ends the run by it, and nothing may follow', () => {
  const finish =
    'All done.\n<function=finish>\n<parameter=message>Aske</parameter>\n<parameter=task_completed>true</parameter>';
  const message = (content: string) => ({ class_: 'message_action', content });
  const said = (...content: object[]) => ({
    id: 'a',
    content: [{ class_: 'text_observation', content: 'Which river?', source: 'user' }, ...content],
  });
  const read = (row: object) => importValue('adp', row as JsonObject, { profile: 'mhqa' });
  for (const row of [said(message(finish)), said(message(`${finish}\n</function>`))]) {
    expect(read(row).final_answer).toBe('Aske');
    expect(JSON.stringify(read(row).events.map((event) => 'answer' in event && event.answer))).not.toContain(
      '<function',
    );
  }
  const wrapped =
    '<finish> <parameter=message>\nAske\n</parameter>\n<parameter=task_completed>true</parameter> </finish>';
  expect(read(said(message(wrapped))).final_answer).toBe('Aske');
  const twice = said(message('<finish> Aske </finish>'), message('<finish> Done. </finish>'));
  expect(refusalOf(() => read(twice))).toMatchObject({ code: 'text_after_answer', path: 'content[2]' });
});
