import { describe, expect, it } from 'vitest';
import { type DocxParts, makeBareDocx } from '../../../../test/knowledge/documents.ts';
import { usualLimits } from '../limits.ts';
import { readDocx } from './read-docx.ts';

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const paragraph = (content: string) => `<w:p>${content}</w:p>`;

async function read(body: string, parts: Omit<DocxParts, 'body'> = {}) {
  return (await readDocx(makeBareDocx({ body, ...parts }), usualLimits)).markdown;
}

describe('text in a Word document', () => {
  it.each([
    ['a simple field', `<w:fldSimple w:instr="IF 1 > 2">${run('lost')}</w:fldSimple>`],
    [
      'a field within a field',
      `<w:fldSimple w:instr="A"><w:fldSimple w:instr="B">${run('lost')}</w:fldSimple></w:fldSimple>`,
    ],
    [
      'a field of several runs',
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('lost')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`,
    ],
    ['a content control', `<w:sdt><w:sdtPr/><w:sdtContent>${run('lost')}</w:sdtContent></w:sdt>`],
    ['a link', `<w:hyperlink w:anchor="a">${run('lost')}</w:hyperlink>`],
    ['a smart tag', `<w:smartTag w:element="x">${run('lost')}</w:smartTag>`],
    ['an insertion', `<w:ins w:id="1" w:author="x">${run('lost')}</w:ins>`],
    ['a move', `<w:moveTo w:id="1">${run('lost')}</w:moveTo>`],
    ['a direction', `<w:bdo w:val="rtl"><w:dir w:val="ltr">${run('lost')}</w:dir></w:bdo>`],
    [
      'ruby text',
      `<w:r><w:ruby><w:rt>${run('small')}</w:rt><w:rubyBase>${run('lost')}</w:rubyBase></w:ruby></w:r>`,
    ],
  ])('is read in %s', async (_name, content) => {
    expect(await read(paragraph(`${run('before ')}${content}${run(' after')}`))).toBe('before lost after');
  });

  it('is read in content controls around paragraphs, rows and cells, and in text boxes', async () => {
    const control = (content: string) => `<w:sdt><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    const cell = (text: string) => `<w:tc>${paragraph(run(text))}</w:tc>`;
    const table = `<w:tbl>${control(`<w:tr>${control(cell('a'))}${cell('b')}</w:tr>`)}<w:tr>${cell('1')}${cell('2')}</w:tr></w:tbl>`;
    const box = `<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>${paragraph(run('boxed'))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
    expect(await read(control(paragraph(run('whole'))) + table + paragraph(box))).toBe(
      'whole\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nboxed',
    );
  });

  it('is read in footnotes', async () => {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes';
    const note = `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2">${paragraph(`<w:fldSimple w:instr="x">${run('noted')}</w:fldSimple>`)}</w:footnote></w:footnotes>`;
    const text = await read(paragraph(`${run('text')}<w:r><w:footnoteReference w:id="2"/></w:r>`), {
      relationships: `<Relationship Id="r2" Type="${type}" Target="footnotes.xml"/>`,
      others: [{ name: 'word/footnotes.xml', content: note }],
    });
    expect(text).toMatch(/^text.*noted/s);
  });

  it('is not what was deleted', async () => {
    const deleted = '<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>';
    expect(await read(paragraph(`${run('kept')}${deleted}`))).toBe('kept');
  });
});

describe('merged cells of a Word document', () => {
  const cell = (text: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text && run(text))}</w:tc>`;
  const table = `<w:tbl>
    <w:tr>${cell('City')}${cell('Mon')}${cell('Tue')}${cell('Wed')}</w:tr>
    <w:bookmarkStart w:id="0" w:name="there"/>
    <w:tr>${cell('Ulm', '<w:vMerge w:val="restart"/>')}${cell('closed', '<w:gridSpan w:val="2"/>')}${cell('9-17')}</w:tr>
    <w:bookmarkEnd w:id="0"/>
    <w:tr>${cell('', '<w:vMerge/>')}${cell('8-12')}${cell('10-12')}${cell('11-12')}</w:tr></w:tbl>`;
  it('have their value in every column and row', async () => {
    expect(await read(table)).toBe(
      '| City | Mon | Tue | Wed |\n| --- | --- | --- | --- |\n| Ulm | closed | closed | 9-17 |\n| Ulm | 8-12 | 10-12 | 11-12 |',
    );
  });

  it('are empty where a row begins further to the right', async () => {
    const row = (cells: string, properties = '') => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`;
    const shifted = row(cell('9-17'), '<w:gridBefore w:val="2"/><w:wBefore w:w="100" w:type="dxa"/>');
    const rows = row(cell('Mon') + cell('Tue') + cell('Wed')) + shifted;
    expect(await read(`<w:tbl>${rows}</w:tbl>`)).toBe(
      '| Mon | Tue | Wed |\n| --- | --- | --- |\n| |  | 9-17 |',
    );
  });
});
