import { PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import { pdfStream, rawPdf } from '../../../../test/knowledge/raw-pdf.ts';
import { usualLimits } from '../limits.ts';
import { readPdf } from './read-pdf.ts';

const read = async (bytes: Uint8Array) => (await readPdf(bytes, usualLimits)).markdown;

describe('what was filled into a PDF', () => {
  it('is read beside its label', async () => {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([595, 842]);
    const form = pdf.getForm();
    const size = 12;
    page.drawText('Name:', { x: 50, y: 750, size });
    page.drawText('City:', { x: 300, y: 750, size });
    page.drawText('Comments', { x: 50, y: 700, size });
    page.drawText('Newsletter', { x: 80, y: 600, size });
    page.drawText('Printed catalogue', { x: 230, y: 600, size });
    const place = (x: number, y: number, width = 100, height = 18) => ({ x, y, width, height });
    for (const [name, text, where] of [
      ['city', 'Ulm', place(340, 746)],
      ['name', 'Jane Doe', place(100, 746)],
      ['comments', 'First line\nsecond line', place(50, 640, 300, 50)],
      ['unlabelled', 'alone', place(50, 300)],
      ['empty', '', place(50, 200)],
    ] as const) {
      const field = form.createTextField(name);
      if (text.includes('\n')) field.enableMultiline();
      field.setText(text);
      field.addToPage(page, where);
    }
    const secret = form.createTextField('secret');
    secret.setText('hunter2');
    secret.enablePassword();
    secret.addToPage(page, place(50, 100));
    form.createCheckBox('newsletter').addToPage(page, place(60, 598, 14, 14));
    const catalogue = form.createCheckBox('catalogue');
    catalogue.addToPage(page, place(210, 598, 14, 14));
    catalogue.check();
    const choice = form.createDropdown('choice');
    choice.addOptions(['red', 'blue']);
    choice.select('blue');
    choice.addToPage(page, place(50, 400));
    expect(await read(await pdf.save())).toBe(
      'Name: Jane Doe City: Ulm\n\nComments First line second line\n\n[ ] Newsletter [x] Printed catalogue\n\nblue\n\nalone',
    );
  });

  it('may be text written onto the page, unless it is hidden', async () => {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([595, 842]);
    page.drawText('Signed:', { x: 50, y: 700, size: 12 });
    const note = (text: string, flags: number) =>
      pdf.context.register(
        pdf.context.obj({
          Type: 'Annot',
          Subtype: 'FreeText',
          F: flags,
          Rect: [100, 695, 200, 715],
          Contents: PDFString.of(text),
        }),
      );
    page.node.set(PDFName.of('Annots'), pdf.context.obj([note('by Jane', 4), note('hidden', 2)]));
    expect(await read(await pdf.save())).toBe('Signed: by Jane');
  });
});

describe('text from right to left', () => {
  /** Draws letters at positions, with a table that says which letter each code is. */
  const drawing = (content: string, letters: string) =>
    rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
      pdfStream(content),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
      pdfStream(
        `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${letters.length} beginbfchar ${letters
          .split('')
          .map((letter, index) => `<${hex(0x41 + index, 2)}> <${hex(letter.charCodeAt(0), 4)}>`)
          .join(' ')} endbfchar endcmap`,
      ),
    ]);
  const hex = (number: number, length: number) => number.toString(16).padStart(length, '0');

  it('is read in the order in which it is typed', async () => {
    // Drawn from left to right, as most programs do: the last letter first.
    const bytes = drawing('BT /F 12 Tf 60 700 Td (DCBA) Tj 60 0 Td (CBA) Tj ET', 'שלום');
    expect(await read(bytes)).toBe('שלו שלום');
  });
});
