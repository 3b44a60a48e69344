set threads = {threads};
