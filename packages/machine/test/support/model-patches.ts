/** Patches in the styles of several models, each with the files before and after it. */
export interface ModelPatch {
  style: string;
  before: Record<string, string>;
  patch: string;
  after: Record<string, string>;
}

const python = `import os


class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(item.price for item in self.items)


class Order:
    def __init__(self):
        self.items = []

    def total(self):
        return 0
`;

const greet = 'function greet(name) {\n  return "hi " + name;\n}\n\nmodule.exports = { greet };\n';
const polite = greet.replace('"hi " + name', '`Hello, ${name}`');
const js = { 'src/greet.js': greet };

export const modelPatches: ModelPatch[] = [
  {
    style: 'a model that counts lines wrongly',
    before: js,
    patch: `--- a/src/greet.js
+++ b/src/greet.js
@@ -1,7 +1,9 @@
 function greet(name) {
-  return "hi " + name;
+  return \`Hello, \${name}\`;
 }
`,
    after: { 'src/greet.js': polite },
  },
  {
    style: 'a model that states the wrong place, too',
    before: js,
    patch: `diff --git a/src/greet.js b/src/greet.js
--- a/src/greet.js
+++ b/src/greet.js
@@ -120,2 +118,1 @@ something else
 function greet(name) {
-  return "hi " + name;
+  return \`Hello, \${name}\`;
 }

 module.exports = { greet };
`,
    after: { 'src/greet.js': polite },
  },
  {
    style: 'a model that writes bare @@ lines, in a fence',
    before: js,
    patch: `\`\`\`diff
--- src/greet.js
+++ src/greet.js
@@
-  return "hi " + name;
+  return \`Hello, \${name}\`;
@@
-module.exports = { greet };
+module.exports = { greet, hello: greet };

\`\`\``,
    after: { 'src/greet.js': polite.replace('{ greet }', '{ greet, hello: greet }') },
  },
  {
    style: 'a model that writes @@ ... @@',
    before: js,
    patch:
      '--- a/src/greet.js\n+++ b/src/greet.js\n@@ ... @@\n function greet(name) {\n-  return "hi " + name;\n+  return `Hello, ${name}`;\n',
    after: { 'src/greet.js': polite },
  },
  {
    style: 'a model that names the function after @@, in a unified diff',
    before: { 'shop.py': python },
    patch:
      '--- a/shop.py\n+++ b/shop.py\n@@ class Order:\n     def total(self):\n-        return 0\n+        return 1\n',
    after: { 'shop.py': python.replace('return 0', 'return 1') },
  },
  {
    style: 'a model that leaves spaces at the end of lines away, and empty lines without a space',
    before: { 'a.txt': 'one  \n\ntwo\t\nthree\n' },
    patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n\n-two\n+2\n three\n',
    after: { 'a.txt': 'one  \n\n2\nthree\n' },
  },
  {
    style: 'a model that creates and deletes files with bare @@ lines',
    before: { 'old.txt': 'gone\n' },
    patch: '--- /dev/null\n+++ b/new.txt\n@@\n+one\n+two\n--- a/old.txt\n+++ /dev/null\n@@\n-gone\n',
    after: { 'new.txt': 'one\ntwo\n' },
  },
  {
    style: 'a model that keeps CRLF files as they are',
    before: { 'a.txt': 'one\r\ntwo\r\nthree\r\n' },
    patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\n',
    after: { 'a.txt': 'one\r\n2\r\nthree\r\n' },
  },
  {
    style: 'Codex: Begin Patch with a class and a method after @@',
    before: { 'shop.py': python },
    patch: `*** Begin Patch
*** Update File: shop.py
@@ class Order:
@@     def total(self):
-        return 0
+        return len(self.items)
*** End Patch`,
    after: { 'shop.py': python.replace('return 0', 'return len(self.items)') },
  },
  {
    style: 'Codex: several files, added, moved and deleted',
    before: { ...js, 'b/notes.txt': 'old\n', 'README.md': '# Shop\n' },
    patch: `*** Begin Patch
*** Add File: src/hello.js
+export const hello = 'hello';
+
+export default hello;
*** Update File: src/greet.js
*** Move to: src/polite.js
@@ function greet(name) {
-  return "hi " + name;
+  return \`Hello, \${name}\`;
 }
*** Delete File: b/notes.txt
*** Update File: README.md
@@
 # Shop
+
+A shop.
*** End of File
*** End Patch
`,
    after: {
      'src/hello.js': "export const hello = 'hello';\n\nexport default hello;\n",
      'src/polite.js': polite,
      'README.md': '# Shop\n\nA shop.\n',
    },
  },
  {
    style: 'Codex: a call of apply_patch as in a shell, without @@ and with the end left out',
    before: js,
    patch: `apply_patch <<'EOF'
*** Begin Patch
*** Update File: src/greet.js
 function greet(name) {
-  return "hi " + name;
+  return \`Hello, \${name}\`;
 }
EOF`,
    after: { 'src/greet.js': polite },
  },
  {
    style: 'a model that only moves a file, and adds one without plus signs',
    before: { 'a.txt': 'a' },
    patch:
      '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b/a.txt\n*** Add File: c.txt\nplain\ntext\n*** End Patch\n',
    after: { 'b/a.txt': 'a', 'c.txt': 'plain\ntext\n' },
  },
  {
    style: 'a model that adds lines at the end, to a file without a last newline',
    before: { 'a.txt': 'one\ntwo' },
    patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n two\n+three\n*** End of File\n*** End Patch\n',
    after: { 'a.txt': 'one\ntwo\nthree' },
  },
  {
    style: 'git, with removed lines that look like headers',
    before: { 'a.sql': '-- one\n-- two\nselect 1;\n' },
    patch: '--- a/a.sql\n+++ b/a.sql\n@@ -1,3 +1,2 @@\n--- one\n -- two\n-select 1;\n+select 2;\n',
    after: { 'a.sql': '-- two\nselect 2;\n' },
  },
];
