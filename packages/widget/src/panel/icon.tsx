/** @jsxImportSource preact */

/** Lines on a grid of 24. */
const paths = {
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  clip: 'M19 11l-7 7a4 4 0 0 1-6-6l8-8a3 3 0 0 1 4 4l-8 8',
  down: 'M12 5v14M6 13l6 6 6-6',
  talk: 'M9 6a3 3 0 0 1 6 0v5a3 3 0 0 1-6 0zM5 11a7 7 0 0 0 14 0M12 18v3',
  warning: 'M12 4L2.5 20h19zM12 10v4M12 17h.01',
};

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
