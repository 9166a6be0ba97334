import type { FileTree } from './file-tree.ts';

/** A change of every kind: a file modified, deleted, renamed, and created in new folders. */
export const oldTree: FileTree = {
  'changed.txt': 'one\ntwo\nthree\n',
  'deleted.txt': 'gone\n',
  'src/': '',
  'src/moved.sh': '+xecho old\n',
  'src/untouched.txt': 'as it was\n',
};

export const newTree: FileTree = {
  'changed.txt': 'one\n2\nthree\n',
  'new/': '',
  'new/folder/': '',
  'new/folder/created.txt': 'created\n',
  'src/': '',
  'src/renamed.sh': '+xecho new\n',
  'src/untouched.txt': 'as it was\n',
};

export const patch = `--- a/changed.txt
+++ b/changed.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
--- a/deleted.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/src/moved.sh b/src/renamed.sh
rename from src/moved.sh
rename to src/renamed.sh
--- a/src/moved.sh
+++ b/src/renamed.sh
@@ -1 +1 @@
-echo old
+echo new
--- /dev/null
+++ b/new/folder/created.txt
@@ -0,0 +1 @@
+created
`;

export function filesOf(tree: FileTree): FileTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')));
}
