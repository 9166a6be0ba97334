import { classes } from '../../../kit/classes.ts';
import { NameText } from '../../../kit/labels.tsx';
import { whoText } from './who-texts.ts';

interface WhoLineProps {
  names: readonly string[];
  /** What they do, after "is" or "are". */
  does: string;
  className?: string;
}

/** Says what others do: "Ada is typing…". Where there is little room, the names are cut off. */
export function WhoLine({ names, does, className }: WhoLineProps) {
  const { who, verb } = whoText(names);
  return (
    <span className={classes('flex min-w-0', className)} title={names.join(', ')}>
      <span className="truncate">
        <NameText text={who} />
      </span>
      <span className="shrink-0 whitespace-pre">
        {' '}
        {verb} {does}
      </span>
    </span>
  );
}
