call enable_logging('HTTP', storage = 'memory');
