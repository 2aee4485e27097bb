-- Changes of a file are found by the last segment of its path, and by any other; the path is compared after that.
create index transcript_file_segments on vcontract.transcript_file
    using gin (tenant, string_to_array(replace(path, '\', '/'), '/'));
