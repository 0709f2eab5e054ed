import { type Html, html, trusted } from './html.ts';
import { reportStyles } from './reportStyles.ts';

/** A page of one HTML file that needs no network and no script, and whose policy allows neither. */
export function reportPage(title: string, main: Html): string {
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${title} · coa-distill</title>
<style>${trusted(reportStyles)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`.markup
  }`;
}
