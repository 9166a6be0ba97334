const frontMatter = /^\ufeff?---[ \t]*\r?\n((?:(?!---)[^\n]{0,2000}\n){1,200}?)---[ \t]*(?:\r?\n|$)/;

/** Markdown stays as it is, but front matter becomes a code block: its last line would make it a heading. */
export function readMarkdown(text: string): { title: string | null; markdown: string } {
  const matter = frontMatter.exec(text);
  const body = matter ? text.slice(matter[0].length) : text;
  const named = matter && /^title:[ \t]*(["']?)(.{1,500}?)\1[ \t]*\r?$/m.exec(matter[1] ?? '')?.[2];
  const heading = /^#[ \t]+(.{1,500}?)[ \t#]*\r?$/m.exec(body)?.[1];
  return {
    title: named || heading || null,
    markdown: matter ? `\`\`\`yaml\n${matter[1]}\`\`\`\n\n${body}` : text,
  };
}
