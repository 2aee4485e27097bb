-- Each process counts the calls of its callers in memory.
drop table vcontract.rate_use;
