import { deflateSync } from 'node:zlib';

/** What {@link makePdf} may add to a document. */
export interface PdfOptions {
  /** Locks it with a password that nobody knows. */
  readonly encrypted?: boolean;
  /** The first page's content as it stands in the file, instead of its text. */
  readonly content?: { readonly filters: string; readonly bytes: Buffer };
}

/** A PDF of one line of text a page. Letters are those of WinAnsiEncoding that Latin-1 has too. */
export function makePdf(pages: readonly string[], { encrypted = false, content }: PdfOptions = {}): Buffer {
  const first = 4;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    ...pages.flatMap((text, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * index + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
      index === 0 && content ? stream(content.filters, content.bytes) : textStream(text),
    ]),
  ];
  return assemble(objects, encrypted);
}

function textStream(text: string): Buffer {
  const escaped = text.replace(/[\\()]/g, '\\$&');
  return stream(
    '/FlateDecode',
    deflateSync(Buffer.from(`BT /F1 12 Tf 72 720 Td (${escaped}) Tj ET`, 'latin1')),
  );
}

function stream(filters: string, bytes: Buffer): Buffer {
  const head = `<< /Filter ${filters} /Length ${bytes.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]);
}

function assemble(objects: readonly Buffer[], encrypted: boolean): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  objects.forEach((object, index) => {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const secret = '00'.repeat(32);
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4 >> /ID [<00> <00>]`;
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R ${encrypted ? lock : ''} >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`)]);
}
