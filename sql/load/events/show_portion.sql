create or replace temp view staged as from {scratch}.main.staged;
create or replace temp view buttons as from {scratch}.main.buttons;
create or replace temp view attachments as from {scratch}.main.attachments;
create or replace temp view others as from {scratch}.main.others;
