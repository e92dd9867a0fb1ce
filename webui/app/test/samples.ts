/** Markdown that is hard to draw in pieces. */
const table = `| name | size |\n|:-----|-----:|\n${Array.from({ length: 12 }, (_, i) => `| row **${i}** | ${i * 7} |`).join('\n')}\n`;
const fence = '```rust\nfn main() {\n    let s = "```";\n}\n\n// end\n```\n';

export const SAMPLES: Record<string, string> = {
  plain: 'One line.\nAnd another.\n\nA second *paragraph* with **bold** and `code`.\n',
  headings: '# One\n\n## Two\n\nSetext\n===\n\n### Three\ntext\n\n---\n\nmore\n',
  lists: '- a\n- b\n  - c\n    - d\n\n  still b\n- e\n\n1. one\n2. two\n\n   para\n3. three\n\n10) other\n',
  loose: '- a\n\n- b\n\n- c\n- d\n',
  tasks: '- [x] done\n- [ ] open\n- [X] also done\n',
  table: `Before\n\n${table}\nAfter\n`,
  fence: `Text\n\n${fence}\nAfter **it**.\n`,
  nested: '````md\n```js\nlet a = 1;\n```\n````\n\nEnd.\n',
  tilde: '~~~\nplain\n```\n~~~\n',
  unfinished: 'Text\n\n```python\nprint("never closed")\nfor i in range(3):\n    pass',
  inList: '1. first\n\n   ```sh\n   ls -la\n   ```\n\n2. second\n',
  quote: '> a quote\n> goes **on**\n>\n> - with\n> - a list\n\nand ends\n',
  crlf: 'One\r\n\r\n- a\r\n- b\r\n\r\n```\r\ncode\r\n```\r\nEnd\r\n',
  links: 'See [the site][ref] and [another](https://example.test/a_(b) "t") or <https://example.test>.\n\nLater.\n\n[ref]: https://example.test/ref\n',
  chinese: '**注意：**这是**重要**的内容。\n\n1. 第一项\n2. 第二项：`代码`\n\n> 引用“文字”。\n',
  math: 'Inline $a+b$ and \\(c\\), money $5 and $10.\n\n$$\n\\int_0^1 x\n$$\n\n\\[ y \\]\n\nEnd.\n',
  html: 'A <b>tag</b> and\n\n<div onclick="x()">block</div>\n\nEnd &amp; entity &copy;.\n',
  emoji: 'Family 👨‍👩‍👧‍👦 and flag 🇪🇺, then **bold😀**.\n',
  long: Array.from({ length: 60 }, (_, i) => `Paragraph ${i} with *some* text and a [link](https://example.test/${i}).\n\n${i % 7 === 0 ? fence : ''}`).join('\n'),
  hostile: [
    '# Report', '<img src=x onerror="window.__p=1">', '<svg onload="window.__p=2"></svg>', '<iframe srcdoc="<script>parent.__p=3</script>"></iframe>',
    '[click](javascript:window.__p=4)', '[data](data:text/html,<script>parent.__p=5</script>)', '![x](https://evil.test/pixel.png)',
    '```mermaid', 'graph TD; A["<img src=x onerror=window.__p=6>"]-->B', '```', '$\\href{javascript:window.__p=8}{x}$', '<a href="https://example.test" target="_blank">ok</a>',
    '```', '<script>window.__p=9</script>', '```', '[ent](&#106;avascript:alert(1))', '<style>*{display:none}</style>', '<form action=/x><button>go</button></form>',
  ].join('\n'),
};
