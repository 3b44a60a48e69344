select commit_id
from lake.{ops}.lake_commits
where commit_id = {commit};
