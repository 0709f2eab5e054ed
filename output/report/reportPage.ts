import { type Html, html, trusted } from './html.ts';

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

/** The report's style sheet: system fonts, light and dark by the reader's preference. */
const reportStyles = `
:root {
  color-scheme: light dark;
  --page: #f6f5f1; --card: #ffffff; --ink: #1d2126; --soft: #5c6470; --line: #e2dfd7;
  --accent: #0f6f73; --kept: #1a8a86; --dropped: #d09013; --failed: #c2413b;
  --model: #e4f3f0; --model-edge: #1a8a86; --environment: #eeebe4; --environment-edge: #a59c8a;
  --stripe: #e6e2d8; --prompt: #eef0f8; --prompt-edge: #8a94bd; --good: #146c43; --bad: #a92e29;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1c2024; --ink: #e7e6e2; --soft: #9ea6b0; --line: #30363d;
    --accent: #62cdc6; --kept: #3cb0a8; --dropped: #d9a441; --failed: #e0645d;
    --model: #16312f; --model-edge: #3cb0a8; --environment: #25272a; --environment-edge: #6f6a5f;
    --stripe: #2c2e31; --prompt: #22263a; --prompt-edge: #6a76a8; --good: #6fd19c; --bad: #ff938c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 20px 64px; }
header { margin-bottom: 28px; }
.product { margin: 0; color: var(--accent); font-weight: 600; letter-spacing: .02em; }
h1 { margin: 0 0 18px; font-size: clamp(1.8rem, 5vw, 2.6rem); line-height: 1.15; letter-spacing: -.02em; overflow-wrap: anywhere; }
h3 { margin: 18px 0 6px; font-size: 1.02rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 14px; font-size: 1.2rem; letter-spacing: -.01em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 22px 24px; margin-bottom: 20px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 1px; margin: 0; background: var(--line); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; }
.figures div { background: var(--card); padding: 14px 18px; }
dt { color: var(--soft); font-size: .82rem; }
dd { margin: 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
dd small { display: block; font-size: .8rem; font-weight: 400; letter-spacing: 0; color: var(--soft); min-height: 1.3em; }
small, .note, .empty, footer { color: var(--soft); }
.note, footer { font-size: .88rem; }
.empty { margin: 0; padding: 18px; text-align: center; border: 1px dashed var(--line); border-radius: 10px; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: 8px 10px; text-align: left; vertical-align: middle; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: .82rem; white-space: nowrap; }
tbody th { font-weight: 600; white-space: nowrap; }
tfoot th, tfoot td { border-top: 2px solid var(--line); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { width: 28%; min-width: 150px; }
svg { display: block; }
.stage { border-radius: 4px; overflow: hidden; background: var(--page); }
.kept { fill: var(--kept); } .dropped { fill: var(--dropped); } .failed { fill: var(--failed); } .track { fill: var(--line); }
.chip { display: inline-block; padding: 1px 9px; margin: 2px 0; border: 1px solid var(--line); border-radius: 99px; font-size: .82rem; white-space: nowrap; }
.chip.dropped { border-color: var(--dropped); } .chip.failed { border-color: var(--failed); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 14px 0 0; font-size: .86rem; color: var(--soft); }
.swatch { display: inline-block; width: 14px; height: 14px; margin-right: 7px; border-radius: 3px; vertical-align: -2px; }
i.kept { background: var(--kept); } i.dropped { background: var(--dropped); } i.failed { background: var(--failed); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); gap: 18px; margin-bottom: 14px; }
figure { margin: 0; } figcaption { font-size: .88rem; color: var(--soft); }
.chart svg { width: 100%; height: auto; }
.bar { fill: var(--kept); } .curve { fill: none; stroke: var(--kept); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; } .axis { stroke: var(--line); stroke-width: 1.5; }
.tick, .value { fill: var(--soft); font: 12px system-ui, sans-serif; } .value { text-anchor: middle; fill: var(--ink); }
.meter { display: grid; grid-template-columns: 1fr 3.5em; gap: 8px; align-items: center; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: .84rem; }
code { overflow-wrap: anywhere; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
details { border: 1px solid var(--line); border-radius: 10px; margin-top: 10px; }
summary { padding: 10px 14px; cursor: pointer; font-weight: 600; }
.kind ul { margin: 0; padding: 0 14px 12px 34px; } .kind li { margin-top: 8px; } .kind li::marker { color: var(--soft); }
.trajectory > .note { margin: 0; padding: 0 14px 8px; } .question { font-weight: 500; unicode-bidi: isolate; }
.segments { padding: 0 14px 14px; }
.segment { display: grid; grid-template-columns: 132px 1fr; border-left: 4px solid; margin-top: 3px; }
.segment .tag { padding: 9px 10px; font-weight: 600; font-size: .82rem; overflow-wrap: anywhere; }
.segment .tag small { display: block; font-weight: 400; }
.segment pre { padding: 9px 12px; max-height: 320px; overflow-y: auto; line-height: 1.5; }
.model { border-color: var(--model-edge); background: var(--model); }
.environment { border-color: var(--environment-edge); background: repeating-linear-gradient(135deg, var(--environment) 0 9px, var(--stripe) 9px 18px); }
.prompt { border-color: var(--prompt-edge); background: var(--prompt); }
.segment.untrained { background: none; }
.segment.environment pre { background: color-mix(in srgb, var(--environment) 82%, transparent); }
.segment.prompt pre { max-height: 130px; color: var(--soft); }
i.model, i.environment, i.prompt { border: 2px solid; }
i.model { border-color: var(--model-edge); } i.environment { border-color: var(--environment-edge); } i.prompt { border-color: var(--prompt-edge); }
footer { padding: 6px 4px; }
.tokens { display: flex; flex-wrap: wrap; gap: 2px; margin: 0; padding: 0; list-style: none; }
.tokens li { padding: 0 3px; } .tokens bdi { display: block; font: 13px/1.3 ui-monospace, monospace; overflow-wrap: anywhere; } .tokens .trained bdi { border-bottom: 2px solid var(--kept); } .tokens small { font-size: 10px; color: var(--ink); }
@media (max-width: 640px) { .segment { grid-template-columns: 1fr; } .segment .tag { padding-bottom: 0; } section { padding: 18px 16px; } }
@media print { body { background: none; } .segment pre { max-height: none; } section { break-inside: avoid-page; } }
`;
