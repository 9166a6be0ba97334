import { describe, expect, it } from 'vitest';
import { decideKind } from './decide-kind.ts';

const decide = (bytes: string, filename: string | null, contentType: string | null = null) =>
  decideKind(Buffer.from(bytes, 'latin1'), { filename, contentType });

describe('what a document is', () => {
  it.each([
    ['%PDF-1.7', 'a.pdf', null, 'pdf'],
    ['%PDF-1.7', 'a.txt', null, 'pdf'],
    ['junk before\n%PDF-1.7', 'a.pdf', null, 'pdf'],
    ['It begins with %PDF-1.7', 'a.txt', null, 'text'],
    ['PK\x03\x04', 'a.docx', null, 'zip'],
    ['PK\x03\x04', null, 'text/html', 'zip'],
    ['plain', 'a.txt', 'text/html', 'text'],
    ['plain', 'a.TXT', null, 'text'],
    ['plain', 'a.md', null, 'markdown'],
    ['plain', 'a.html', null, 'html'],
    ['plain', 'a.HTM', null, 'html'],
    ['plain', null, 'text/html; charset=utf-8', 'html'],
    ['plain', null, 'application/xhtml+xml', 'html'],
    ['plain', null, 'text/markdown', 'markdown'],
    ['plain', null, null, 'text'],
    ['<!-- a --><!DOCTYPE HTML>', 'a.md', null, 'html'],
    ['<?xml version="1.0"?>\n<html lang="en">', null, null, 'html'],
    ['\xff\xfe<\0h\0t\0m\0l\0>\0', 'a.txt', null, 'html'],
    ['<htmlish>', 'a.txt', null, 'text'],
    ['# <html>', 'a.md', null, 'markdown'],
  ])('%j as %s (%s) is %s', (bytes, filename, contentType, kind) => {
    expect(decide(bytes, filename, contentType)).toBe(kind);
  });

  it.each([
    ['text', 'a.pdf', 'Its name ends in .pdf, but it is something else and not a PDF.'],
    ['%PDF-1.7', 'a.docx', 'Its name ends in .docx, but it is a PDF and not a Word document.'],
    ['GIF89a', 'a.txt', 'It is a GIF image: only text can be read.'],
    ['RIFF\x24\x01\0\0WEBPVP8 ', 'a.txt', 'It is a WebP image: only text can be read.'],
    [
      '<!doctype html><title>Sign in</title>',
      'a.pdf',
      'Its name ends in .pdf, but it is a web page and not a PDF: download the document itself.',
    ],
    [
      '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
      'a.docx',
      'It is in an old Office format: save it as .docx and upload that.',
    ],
  ])('%j as %s is refused', (bytes, filename, reason) => {
    expect(() => decide(bytes, filename)).toThrow(reason);
  });
});
