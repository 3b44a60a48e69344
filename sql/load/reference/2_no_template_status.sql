create or replace temp table template_status (list varchar, template_id varchar, pull varchar, status varchar);
