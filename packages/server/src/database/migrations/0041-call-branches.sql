-- A SIP trunk may send one call to several machines: the request by which it was taken. Null on other networks.
alter table voice_calls add column network_branch text;
