import { Document, HeadingLevel, Packer, Paragraph, TextRun } from 'docx';
import { PDFDocument, StandardFonts } from 'pdf-lib';

/** Real files, made by the libraries that others make theirs with. */

export async function pdf(title: string, ...lines: string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage();
  for (const [index, line] of [title, ...lines].entries()) {
    page.drawText(line, { x: 50, y: 780 - index * 24, size: index === 0 ? 20 : 11, font });
  }
  return document.save();
}

export async function docx(title: string, ...paragraphs: string[]): Promise<Uint8Array> {
  const document = new Document({
    sections: [
      {
        children: [
          new Paragraph({ text: title, heading: HeadingLevel.HEADING_1 }),
          ...paragraphs.map((text) => new Paragraph({ children: [new TextRun(text)] })),
        ],
      },
    ],
  });
  return Packer.toBuffer(document);
}
