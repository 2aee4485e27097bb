-- What the contract tools count: taxonomy, graph of what occurs together, dealers.
select;
