-- Where coding tools work in a conversation, as its messages last said.
alter table conversations add column code_session json;
