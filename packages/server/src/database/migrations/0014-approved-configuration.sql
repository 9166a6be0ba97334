-- What was approved is what runs: what decided what the call would do when it was proposed, as hashes, encrypted because
-- they cover the tool's secrets. Null for what was asked before this was kept: it cannot be approved any more.

alter table approvals add column fingerprint bytea;
