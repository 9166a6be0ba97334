/** Where the daemon's own helpers are found: only folders that no bot can write to. The last is for NixOS. */
export const systemPath = '/usr/bin:/bin:/run/current-system/sw/bin';
