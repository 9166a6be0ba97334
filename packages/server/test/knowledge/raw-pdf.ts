/** A PDF from raw objects, the catalog first. Nothing is checked, so that anything can be invalid. */
export function rawPdf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = length;
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`));
  add(
    Buffer.from(
      `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export function pdfStream(content: string | Buffer, dictionary = ''): Buffer {
  const data = Buffer.from(content);
  return Buffer.concat([
    Buffer.from(`<< /Length ${data.length} ${dictionary} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}

const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** A PDF with one page that shows the content; further objects are numbered from 6. */
export function pageOf(
  content: string | Buffer,
  resources = '',
  others: readonly (string | Buffer)[] = [],
): Buffer {
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> ${resources} >> >>`,
    typeof content === 'string' ? pdfStream(content) : content,
    font,
    ...others,
  ]);
}

export const sayHello = 'BT /F 12 Tf 60 700 Td (Hello from the page) Tj ET';
