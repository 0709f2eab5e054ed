import { describe, expect, test } from 'vitest';
import type { PageService, ReadPage } from '../../../tools/crawlPage/createPageService.ts';
import type { CrawlGoal } from '../../../tools/crawlPage/pageSummariser.ts';
import { crawlEndpoint } from '../../../tools/servers/crawlEndpoint.ts';
import { startJudgeServer } from '../../support/startJudgeServer.ts';
import { openAtlasServers } from './support/openAtlasServers.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

/** All members that AFM's crawl tool sends. */
const asAfm = {
  task: 'When was the Lighthouse Picnic founded?',
  web_search_query: 'Lighthouse Picnic',
  think_content: 'I should open the article.',
  messages: [{ role: 'user', content: 'hi' }],
  summary_type: 'page',
  summary_prompt_type: 'webthinker_with_goal',
  // Some versions name the model of the summary, with its key; ours is the server's own.
  api_url: 'http://127.0.0.1:1/v1',
  api_key: 'sk-of-the-client',
  model: 'the-clients-model',
  content_max_len: 8192,
};

const PICNIC = 'http://atlas.example/lighthouse-picnic.html';
const LETTERS = 'http://atlas.example/letters-to-a-lighthouse.html';

function serveCrawl(read: PageService['read']) {
  return serve(crawlEndpoint({ read }));
}

function shown(url: string): ReadPage {
  const text = `text of ${url}`;
  return { url, ok: true, text, page_text: text, final_url: url, content_type: 'text/html', cut: false };
}

/** Reads nothing and remembers what it was asked. */
function recordingPages() {
  const asked: { urls: readonly string[]; goal: CrawlGoal | undefined }[] = [];
  const read: PageService['read'] = async (urls, _signal, goal) => {
    asked.push({ urls, goal });
    return urls.map((url) => shown(url));
  };
  return { asked, read };
}

test('pages of the atlas, plain and as markdown links, in AFM’s layout', async () => {
  const { crawl_page } = await openAtlasServers();
  const gone = 'http://atlas.example/gone.html';
  const urls = [PICNIC, `[Letters [1]](${LETTERS})`, gone];
  const { status, json } = await postJson<{ obs: string; processing_time: number }>(crawl_page.url, {
    ...asAfm,
    urls,
  });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(['success', 'obs', 'error_message', 'processing_time']);
  expect(json).toMatchObject({ success: true, error_message: null });
  expect(json.processing_time).toBeGreaterThanOrEqual(0);
  expect(json.processing_time).toBeLessThan(60);
  const [picnic, letters, last] = json.obs.split(/\n\n(?=Page \d )/);
  expect(picnic).toMatch(
    /^Page 1 \[http:\/\/atlas\.example\/lighthouse-picnic\.html\] Summary:\n[\s\S]*1847/,
  );
  expect(letters).toMatch(
    /^Page 2 \[http:\/\/atlas\.example\/letters-to-a-lighthouse\.html\] Summary:\n[\s\S]*Odile/,
  );
  expect(last).toBe(`Page 3 [${gone}]: [Page content not accessible: HTTP status 404]`);
});

test('addresses of this machine and its networks are not fetched', async () => {
  const { crawl_page, wiki_search } = await openAtlasServers();
  const urls = [`${wiki_search.baseUrl}/health`, 'http://169.254.169.254/latest/', 'http://[::1]:8000/'];
  const { json } = await postJson<{ obs: string }>(crawl_page.url, { urls });
  expect(json.obs.match(/^Page \d \[\S+\]: \[Page content not accessible: .*\]$/gm)).toHaveLength(3);
  expect(json.obs).not.toContain('"status"');
});

test('nothing that can be fetched is no success', async () => {
  const { asked, read } = recordingPages();
  const { server } = await serveCrawl(read);
  for (const urls of [
    [],
    [''],
    ['nothing'],
    ['[a](b)', 'ftp://x.example/'],
    'javascript:alert(1)',
    ['/etc/passwd'],
  ]) {
    expect(await postJson(server.url, { ...asAfm, urls })).toMatchObject({
      status: 200,
      json: {
        success: false,
        obs: '',
        error_message: 'No valid URL found',
        processing_time: expect.any(Number),
      },
    });
  }
  expect(asked).toEqual([]);
});

test('what can’t be fetched keeps its place among what can', async () => {
  const { asked, read } = recordingPages();
  const { server } = await serveCrawl(read);
  const { json } = await postJson(server.url, {
    urls: ['nothing', ' [A](http://a.example/x) ', 'http://b.example|ftp://c'],
  });
  expect(asked.map(({ urls }) => urls)).toEqual([['http://a.example/x', 'http://b.example']]);
  expect(json.obs).toBe(
    [
      'Page 1 [nothing]: [Page content not accessible: "nothing" is not a URL]',
      'Page 2 [http://a.example/x] Summary:\ntext of http://a.example/x',
      'Page 3 [http://b.example] Summary:\ntext of http://b.example',
      'Page 4 [ftp://c]: [Page content not accessible: "ftp://c" is not an http or https URL]',
    ].join('\n\n'),
  );
});

describe('what the pages are read for', () => {
  const goal = { question: asAfm.task, query: asAfm.web_search_query, thinking: asAfm.think_content };
  test.each<[string, object, CrawlGoal | undefined]>([
    ['as AFM asks', asAfm, goal],
    ['without a kind of summary', { ...asAfm, summary_prompt_type: undefined }, goal],
    ['another kind of summary', { ...asAfm, summary_prompt_type: 'none' }, undefined],
    ['nothing', {}, undefined],
    ['nulls', { task: null, web_search_query: null, think_content: null }, undefined],
    ['a task alone', { task: 'T 😀' }, { question: 'T 😀' }],
    ['thinking alone', { think_content: 'hm' }, { question: '', thinking: 'hm' }],
  ])('%s', async (_name, sent, expected) => {
    const { asked, read } = recordingPages();
    const { server } = await serveCrawl(read);
    await postJson(server.url, { ...sent, urls: ['http://a.example'] });
    expect(asked).toEqual([{ urls: ['http://a.example'], goal: expected }]);
  });
});

describe('with a model for summaries', () => {
  const summary = {
    query_related: 'It was founded in 1847.',
    clue_related: 'Casper Nightshade founded it.',
    relevant_links: [{ url: 'http://made.up/', about: 'nothing' }],
  };
  const crawlWith = (baseUrl: string) => ({
    crawl_page: {
      summary: {
        model: { model: 'm', endpoint: { base_url: baseUrl, api_key_env: 'SUMMARY_KEY', max_retries: 0 } },
        click_intent: true,
      },
    },
  });

  test('a page is summed up in AFM’s points toward the goal, which the thinking makes clearer', async () => {
    const model = await startJudgeServer((_request, place) =>
      place === 0 ? 'Find the year of foundation.' : JSON.stringify(summary),
    );
    const { crawl_page } = await openAtlasServers(crawlWith(model.baseUrl), { SUMMARY_KEY: 'sk-summary' });
    const { json } = await postJson(crawl_page.url, { ...asAfm, urls: [PICNIC] });
    expect(json.obs).toBe(
      `Page 1 [${PICNIC}] Summary:\n` +
        'Query-related information:\nIt was founded in 1847.\n\n' +
        'Clue-related information:\nCasper Nightshade founded it.\n\n' +
        'Relevant links:\nNo relevant information',
    );
    expect(model.requests).toHaveLength(2);
    const [intent, page] = model.requests.map(({ data }) => JSON.stringify(data));
    for (const given of [asAfm.task, asAfm.web_search_query]) expect(page).toContain(given);
    expect(intent).toContain(asAfm.think_content);
    expect(page).toContain('Find the year of foundation.');
    expect(page).toContain('1847');
    expect(JSON.stringify(model.requests)).not.toMatch(/sk-of-the-client|the-clients-model/);
  });

  test('a model that fails is 502 in AFM’s shape, without its key', async () => {
    const model = await startJudgeServer(() => ({ status: 400 }));
    const { crawl_page } = await openAtlasServers(crawlWith(model.baseUrl), { SUMMARY_KEY: 'sk-summary' });
    const { status, json } = await postJson(crawl_page.url, {
      ...asAfm,
      urls: [PICNIC],
    });
    expect([status, json.success, json.obs]).toEqual([502, false, '']);
    expect(json.error_message).toContain('400');
    expect(json.error_message).not.toContain('sk-summary');
  });
});
