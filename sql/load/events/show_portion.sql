create or replace temp view staged as from {scratch}.main.staged;
create or replace temp view buttons as from {scratch}.main.buttons;
create or replace temp view attachments as from {scratch}.main.attachments;
create or replace temp view others as from {scratch}.main.others;
create or replace temp view told_messages as from {scratch}.main.told_messages;
create or replace temp view contents as from {scratch}.main.contents;
