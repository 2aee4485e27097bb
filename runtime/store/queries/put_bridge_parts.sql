-- Insert what a record holds, and the qualities of a moment.
with links as (
    {bridge_link.insert}
)
{bridge_quality.insert}
