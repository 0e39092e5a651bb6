-- Derived rows have no instant of capture: asked for one, none matches. Which row it is makes no difference.
({row}.derived_id is not null and {with}->'capturedFrom' is null and {with}->'capturedTo' is null)
