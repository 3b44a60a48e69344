create or replace temp table staged as
select {values} from {relation};
