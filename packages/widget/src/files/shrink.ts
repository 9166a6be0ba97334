const enoughBytes = 1_000_000;
/** Models see no more. */
const maxSide = 2_048;
const quality = 0.85;

/** A large photograph as a smaller one, without where and when it was taken. Anything else, and what browsers cannot read, stays as it is. */
export async function shrink(file: File): Promise<Blob> {
  if (!/^image\/(jpeg|png|webp)$/.test(file.type) || file.size <= enoughBytes) return file;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    const context = canvas.getContext('2d');
    if (!context) return file;
    // What is transparent would become black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const smaller = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/jpeg', quality);
    });
    return smaller && smaller.size < file.size ? smaller : file;
  } catch {
    // The service decides what it is.
    return file;
  }
}
