import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAllowedCommand, patternFault } from './allowed-commands.ts';

const patterns = ['npm test', 'git status', 'git log *', 'node --test *', 'x *'];

describe('a command that needs no approval', () => {
  it.each([
    'npm test',
    '  npm   test ',
    'git status',
    'git log',
    'git log --oneline -5 HEAD',
    'node --test test/a.test.ts --test-reporter=dot',
    'x a:b user@host a+b a,b ../a',
  ])('%s', (command) => {
    expect(isAllowedCommand(command, patterns)).toBe(true);
  });
});

describe('a command that needs approval', () => {
  it.each([
    ['is another command', 'npm run test'],
    ['continues', 'npm test --ignore-scripts=false'],
    ['is shorter', 'npm'],
    ['only starts like one', 'npm testing'],
    ['differs in case', 'NPM test'],
    ['has a path before it', './npm test'],
    ['is empty', ''],
    ['is blank', '   '],
    ['follows another', 'rm -rf / && npm test'],
    ['chains with ;', 'npm test; rm -rf /'],
    ['chains with ; without spaces', 'npm test;rm'],
    ['chains with &&', 'npm test && x'],
    ['chains with ||', 'npm test || x'],
    ['runs in the background', 'npm test &'],
    ['pipes', 'git log | sh'],
    ['pipes errors', 'git log |& sh'],
    ['substitutes', 'git log $(rm -rf /)'],
    ['substitutes with backticks', 'git log `rm -rf /`'],
    ['expands a variable', 'git log $HOME'],
    ['expands a variable in braces', `git log \${IFS}x`],
    ['starts another line', 'npm test\nrm -rf /'],
    ['ends with a line break', 'npm test\n'],
    ['starts with a line break', '\nnpm test'],
    ['has a carriage return', 'npm test\rrm'],
    ['has a tab', 'npm\ttest'],
    ['has a NUL', 'npm test\0'],
    ['has a vertical tab', 'npm\vtest'],
    ['has a no-break space', 'npm\u00A0test'],
    ['has a line separator', 'npm test\u2028rm'],
    ['has a zero-width space', 'npm te\u200Bst'],
    ['turns the direction', 'npm test\u202E'],
    ['has look-alike letters', 'nрm test'],
    ['redirects output', 'git log > /etc/passwd'],
    ['redirects output without spaces', 'git log>x'],
    ['appends output', 'git log >> x'],
    ['redirects by number', 'git log 2>&1'],
    ['redirects input', 'git log < x'],
    ['has a here-document', 'git log <<X'],
    ['has double quotes', 'git log "x"'],
    ['has single quotes', "git log 'x'"],
    ['quotes the command', '"npm" test'],
    ['escapes', 'git log a\\ b'],
    ['continues a line', 'git log \\\nx'],
    ['has a glob', 'git log *'],
    ['has a question mark', 'git log a?'],
    ['has a bracket', 'git log [ab]'],
    ['has braces', 'git log {a,b}'],
    ['has a tilde', 'git log ~'],
    ['has a tilde in a path', 'git log ~/x'],
    ['has parentheses', '(npm test)'],
    ['groups', '{ npm test; }'],
    ['negates', '! npm test'],
    ['has a comment', 'npm test # x'],
    ['sets a variable', 'NODE_OPTIONS=--require=./x.js npm test'],
    ['sets PATH', 'PATH=. npm test'],
    ['only sets a variable', 'x=1'],
    ['uses env', 'env A=1 npm test'],
    ['uses exec', 'exec npm test'],
    ['uses sh', 'sh -c npm test'],
    ['has a variable of cmd.exe', 'git log %PATH%'],
    ['escapes in cmd.exe', 'git log ^& x'],
    ['has a Windows path', String.raw`git log C:\x`],
  ])('%s', (_what, command) => {
    expect(isAllowedCommand(command, patterns)).toBe(false);
  });

  it('is every command when there is no pattern, or none that can be read', () => {
    expect(isAllowedCommand('npm test', [])).toBe(false);
    for (const pattern of ['*', '', ' ', '* test', 'npm *st', 'npm test; *', 'A=1 npm *', 'npm * test', 'n*'])
      expect(isAllowedCommand('npm test', [pattern]), pattern).toBe(false);
  });
});

describe('patterns', () => {
  it.each(['npm test', 'git log *', 'npm run build:all', 'make -j4', 'cargo test --package=a'])(
    'accepts %s',
    (pattern) => {
      expect(patternFault(pattern)).toBeUndefined();
    },
  );

  it.each([
    '',
    ' ',
    'npm test && x',
    'npm *est',
    'npm * x',
    'A=1 npm test',
    'echo $HOME',
    'a\nb',
    'git log**',
  ])('rejects %j', (pattern) => {
    expect(patternFault(pattern)).toContain('plain words');
  });

  it('names the setting that allows everything', () => {
    expect(patternFault('*')).toContain('approval_commands');
  });
});

describe('any command', () => {
  const syntax = fc.constantFrom(...';&|$`\n\r\t\0\\\'"<>(){}[]*?~!#^%'.split(''));
  const plain = fc.string({
    unit: fc.constantFrom(...'abcXYZ019_./:@+,=-'.split('')),
    minLength: 1,
    maxLength: 12,
  });

  it('never matches when it has shell syntax, wherever that is', () => {
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 5 }), syntax, fc.nat(), (words, character, place) => {
        const command = ['x', ...words].join(' ');
        const at = place % (command.length + 1);
        const hostile = command.slice(0, at) + character + command.slice(at);
        expect(isAllowedCommand(command, patterns)).toBe(true);
        expect(isAllowedCommand(hostile, patterns)).toBe(false);
      }),
    );
  });

  it('never matches when it has a character other than the plain ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        fc.pre(/[^A-Za-z0-9_./:@+,= -]/.test(text));
        expect(isAllowedCommand(`x ${text}`, patterns)).toBe(false);
      }),
    );
  });

  it('is for a shell nothing but its words when it matches', () => {
    const commands = fc
      .sample(fc.array(plain, { maxLength: 6 }), 500)
      .map((words) => ['x', ...words].join(' '))
      .filter((command) => isAllowedCommand(command, patterns));
    const script = commands
      .map((command) => `set -- ${command}\nprintf '%s\\0' "$@"\nprintf '\\n'`)
      .join('\n');
    const printed = execFileSync('/bin/sh', ['-f', '-c', script], { encoding: 'utf8' });
    const seen = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\0').slice(0, -1));
    expect(commands.length).toBeGreaterThan(400);
    expect(seen).toEqual(commands.map((command) => command.split(' ')));
  });
});
