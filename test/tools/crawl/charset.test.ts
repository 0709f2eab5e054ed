import { describe, expect, test } from 'vitest';
import { decodePage, detectCharset } from '../../../tools/crawlPage/detectCharset.ts';

/** Encoding, text, and the bytes that iconv makes of it. */
const samples: readonly [label: string, text: string, hex: string][] = [
  [
    'Shift_JIS',
    '日本語のページです。島の名前はケッサといいます。人口は千二百人です。',
    '93fa967b8cea82cc8379815b835782c582b78142938782cc96bc914f82cd83508362835482c682a282a282dc82b78142906c8cfb82cd90e793f19553906c82c582b78142',
  ],
  [
    'euc-jp',
    '日本語のページです。島の名前はケッサといいます。人口は千二百人です。',
    'c6fccbdcb8eca4cea5daa1bca5b8a4c7a4b9a1a3c5e7a4ceccbec1b0a4cfa5b1a5c3a5b5a4c8a4a4a4a4a4dea4b9a1a3bfcdb8fda4cfc0e9c6f3c9b4bfcda4c7a4b9a1a3',
  ],
  [
    'iso-2022-jp',
    '日本語のページです。島の名前はケッサといいます。',
    '1b2442467c4b5c386c244e255a213c25382447243921234567244e4c3e4130244f253125432535244824242424245e243921231b2842',
  ],
  [
    'gb18030',
    '这是一个中文网页。岛的名字叫凯萨。人口有一千二百人，主要从事渔业。',
    'd5e2cac7d2bbb8f6d6d0cec4cdf8d2b3a1a3b5bab5c4c3fbd7d6bdd0bfadc8f8a1a3c8cbbfdad3d0d2bbc7a7b6feb0d9c8cba3acd6f7d2aab4d3cac2d3e6d2b5a1a3',
  ],
  [
    'big5',
    '這是一個中文網頁。島的名字叫凱薩。人口有一千二百人，主要從事漁業。',
    'b36fac4fa440add3a4a4a4e5baf4adb6a143ae71aabaa657a672a573b3cdc2c4a143a448a466a6b3a440a464a447a6caa448a141a544ad6eb171a8c6baaeb77ea143',
  ],
  [
    'euc-kr',
    '이것은 한국어 페이지입니다. 섬의 이름은 케사입니다. 인구는 천이백 명입니다.',
    'c0ccb0cdc0ba20c7d1b1b9beee20c6e4c0ccc1f6c0d4b4cfb4d92e20bcb6c0c720c0ccb8a7c0ba20c4c9bbe7c0d4b4cfb4d92e20c0ceb1b8b4c220c3b5c0ccb9e920b8edc0d4b4cfb4d92e',
  ],
  [
    'windows-1251',
    'Это страница на русском языке. Остров называется Кесса, и на нём живёт тысяча двести человек.',
    'ddf2ee20f1f2f0e0ede8f6e020ede020f0f3f1f1eaeeec20ffe7fbeae52e20cef1f2f0eee220ede0e7fbe2e0e5f2f1ff20cae5f1f1e02c20e820ede020edb8ec20e6e8e2b8f220f2fbf1fff7e020e4e2e5f1f2e820f7e5ebeee2e5ea2e',
  ],
  [
    'koi8-r',
    'Это страница на русском языке. Остров называется Кесса, и на нём живёт тысяча двести человек.',
    'fcd4cf20d3d4d2c1cec9c3c120cec120d2d5d3d3cbcfcd20d1dad9cbc52e20efd3d4d2cfd720cec1dad9d7c1c5d4d3d120ebc5d3d3c12c20c920cec120cea3cd20d6c9d7a3d420d4d9d3d1dec120c4d7c5d3d4c920dec5cccfd7c5cb2e',
  ],
  [
    'windows-1252',
    'Die Straße führt über die Brücke nach München; „Kessa“ heißt die Insel, und für 5 € gibt es Kaffee.',
    '4469652053747261df652066fc68727420fc62657220646965204272fc636b65206e616368204dfc6e6368656e3b20844b657373619320686569df742064696520496e73656c2c20756e642066fc72203520802067696274206573204b61666665652e',
  ],
  [
    'windows-1250',
    'Příliš žluťoučký kůň úpěl ďábelské ódy na ostrově, který se jmenuje Kessa.',
    '50f8ed6c699a209e6c759d6f75e86bfd206bf9f220fa70ec6c20efe162656c736be920f36479206e61206f7374726f76ec2c206b746572fd207365206a6d656e756a65204b657373612e',
  ],
  [
    'windows-1253',
    'Αυτή είναι μια ελληνική σελίδα. Το νησί λέγεται Κέσσα και έχει χίλιους διακόσιους κατοίκους.',
    'c1f5f4de20e5dfede1e920ece9e120e5ebebe7ede9eade20f3e5ebdfe4e12e20d4ef20ede7f3df20ebdde3e5f4e1e920caddf3f3e120eae1e920ddf7e5e920f7dfebe9eff5f220e4e9e1eafcf3e9eff5f220eae1f4efdfeaeff5f22e',
  ],
  [
    'windows-1254',
    'Bu bir Türkçe sayfadır. Adanın adı Kessa, nüfusu bin iki yüz kişidir ve balıkçılıkla geçinir.',
    '4275206269722054fc726be76520736179666164fd722e204164616efd6e206164fd204b657373612c206efc667573752062696e20696b692079fc7a206b69fe696469722076652062616cfd6be7fd6cfd6b6c61206765e7696e69722e',
  ],
  [
    'windows-1255',
    'זהו דף בעברית. שם האי הוא קסה, ויש בו אלף ומאתיים תושבים שעוסקים בדיג.',
    'e6e4e520e3f320e1f2e1f8e9fa2e20f9ed20e4e0e920e4e5e020f7f1e42c20e5e9f920e1e520e0ecf320e5eee0fae9e9ed20fae5f9e1e9ed20f9f2e5f1f7e9ed20e1e3e9e22e',
  ],
  [
    'windows-1256',
    'هذه صفحة باللغة العربية. اسم الجزيرة كيسا وعدد سكانها ألف ومائتا نسمة يعملون في الصيد.',
    'e5d0e520d5ddcdc920c8c7e1e1dbc920c7e1dad1c8edc92e20c7d3e320c7e1ccd2edd1c920dfedd3c720e6dacfcf20d3dfc7e4e5c720c3e1dd20e6e3c7c6cac720e4d3e3c920eddae3e1e6e420dded20c7e1d5edcf2e',
  ],
  [
    'utf-16le',
    'An English page in UTF-16, without a mark.',
    '41006e00200045006e0067006c0069007300680020007000610067006500200069006e0020005500540046002d00310036002c00200077006900740068006f00750074002000610020006d00610072006b002e00',
  ],
  [
    'utf-16be',
    'An English page in UTF-16, without a mark.',
    '0041006e00200045006e0067006c0069007300680020007000610067006500200069006e0020005500540046002d00310036002c00200077006900740068006f00750074002000610020006d00610072006b002e',
  ],
];

describe.each(samples)('%s', (label, text, hex) => {
  const bytes = Buffer.from(hex, 'hex');

  test('is known by the header', () => {
    expect(decodePage(bytes, `text/plain; charset="${label}"`)).toBe(text);
  });

  test('is known by nothing but its bytes', () => {
    expect(decodePage(bytes, 'text/plain')).toBe(text);
  });
});

describe('what says the encoding', () => {
  const cyrillic = Buffer.from(samples.find(([label]) => label === 'windows-1251')![2], 'hex');

  test('is the mark first, then the header, the <meta>, the XML declaration', () => {
    const marked = Buffer.from('\ufeffä');
    expect(detectCharset(marked, 'text/html; charset=koi8-r')).toBe('utf-8');
    expect(detectCharset(Buffer.from([0xff, 0xfe, 0x41, 0]), 'text/html; charset=koi8-r')).toBe('utf-16le');
    expect(detectCharset(Buffer.from([0xfe, 0xff, 0, 0x41]), '')).toBe('utf-16be');
    const meta = Buffer.from('<meta http-equiv=content-type content="text/html; charset=windows-1251">');
    expect(detectCharset(meta, 'text/html; charset=koi8-r')).toBe('koi8-r');
    expect(detectCharset(meta, 'text/html')).toBe('windows-1251');
    const xml = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>'), cyrillic]);
    expect(decodePage(xml, 'text/xml')).toContain('Остров');
  });

  test('is not a name that nobody knows, nor UTF-16 said in ASCII', () => {
    expect(detectCharset(Buffer.from('ä'), 'text/html; charset=nonsense')).toBe('utf-8');
    expect(detectCharset(Buffer.from('<meta charset="utf-16"><p>a'), 'text/html')).toBe('utf-8');
    expect(detectCharset(Buffer.from('<meta charset="x-nonsense"><p>ä'), 'text/html')).toBe('utf-8');
  });

  test('are not the tags of a page', () => {
    const tags = Buffer.from('<div class="content-of-the-page"><span class="the-and-of-in-a">'.repeat(50));
    expect(decodePage(Buffer.concat([tags, cyrillic]), 'text/html')).toContain('Остров');
  });

  test('a text that ends within a character is UTF-8 nevertheless', () => {
    const long = Buffer.from('ä'.repeat(40_000));
    expect(detectCharset(long.subarray(0, long.length - 1), '')).toBe('utf-8');
    expect(detectCharset(Buffer.from(''), '')).toBe('utf-8');
  });
});
